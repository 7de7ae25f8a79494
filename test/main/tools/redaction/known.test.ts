import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { knownSecrets } from '../../../../src/main/tools/redaction/known-secrets';
import { createRedactor } from '../../../../src/main/tools/redaction/redactor';
import { random } from './secrets';

const value = `${random('known', 30)}+/&"<\\é ${random('more', 12)}`;
const redactor = createRedactor({ known: [{ name: 'value of MY_TOKEN', value }] });
const redact = (text: string): string => redactor.redact(text).text;

describe('which values are looked for', () => {
  const secret = random('a secret', 24);
  const names = (
    app: Record<string, string>,
    child: Record<string, string> = {},
    key: string | null = null,
  ): string[] => knownSecrets(app, child, key).map(({ name }) => name);

  it("the app's key, wherever it came from", () => {
    expect(knownSecrets({}, {}, ` ${secret}\n`)).toEqual([{ name: "the app's API key", value: secret }]);
    expect(names({ ANTHROPIC_API_KEY: secret }, {}, secret)).toEqual(["the app's API key"]);
  });

  it.each([
    'GITHUB_TOKEN',
    'AWS_SECRET_ACCESS_KEY',
    'PGPASSWORD',
    'MYSQL_PWD',
    'SSHPASS',
    'NPM_AUTH',
    'HTTP_COOKIE',
    'JWT',
    'apikey',
    'Session_Secret',
    'DB_PASSWD',
    'GOOGLE_CREDENTIALS',
    'SENTRY_DSN',
    'GPG_PASSPHRASE',
    'AUTHORIZATION',
    'ENCRYPTION_KEYS',
  ])('what a child does not get and has the name of a secret: %s', (name) => {
    expect(names({ [name]: secret })).toEqual([`value of ${name}`]);
    expect(names({ [name]: secret }, { [name]: secret })).toEqual([]);
  });

  it('what never passes, however short it is, and of a list of headers each value', () => {
    expect(knownSecrets({ ANTHROPIC_AUTH_TOKEN: 'ab1!' }, {}, null).map((one) => one.value)).toEqual(['ab1!']);
    const headers = `Authorization: Bearer ${secret}\nX-Team: blue-team`;
    expect(knownSecrets({ ANTHROPIC_CUSTOM_HEADERS: headers }, {}, null).map((one) => one.value)).toEqual([
      secret,
      'blue-team',
    ]);
  });

  it('the password in a link, under any name', () => {
    const found = knownSecrets({ DATABASE_URL: `postgres://app:${secret}%21@db/x` }, {}, null).map((one) => one.value);
    expect(found).toEqual([`${secret}%21`, `${secret}!`]);
  });

  it.each([
    ['SSH_AUTH_SOCK', '/tmp/ssh-XXXX/agent.1'],
    ['XDG_SESSION_ID', 'c2-session-1'],
    ['GIT_AUTHOR_NAME', 'A. Person of Note'],
    ['USE_TOKEN', 'true'],
    ['PASSWORD', 'changeme'],
    ['KEY_FILE', '/etc/ssl/private/key.pem'],
    ['SESSION', '1234567890'],
    ['KEYBOARD_LAYOUT', 'us-international'],
    ['OLDPWD', '/home/me/project'],
    ['API_KEY', 'short'],
    ['SECRET', '********'],
    ['GREETING', 'a text of no secret at all'],
    ['AUTH_URL', 'https://example.org/login'],
  ])('not %s=%s', (name, text) => {
    expect(names({ [name]: text })).toEqual([]);
  });
});

describe('a known value', () => {
  const bytes = Buffer.from(value);
  const encodings: readonly (readonly [string, string])[] = [
    ['as it is', value],
    ['in JSON', JSON.stringify(value)],
    ['in JSON in JSON', JSON.stringify(JSON.stringify({ a: value }))],
    ['in JSON of PHP', JSON.stringify(value).replaceAll('/', '\\/')],
    ['in ASCII JSON', JSON.stringify(value).replace('é', '\\u00e9')],
    ['percent-encoded', encodeURIComponent(value)],
    ['percent-encoded in lower case', encodeURIComponent(value).replace(/%../g, (triplet) => triplet.toLowerCase())],
    ['in a query', new URLSearchParams({ a: value }).toString()],
    ['in hexadecimal', bytes.toString('hex')],
    ['in upper hexadecimal', bytes.toString('hex').toUpperCase()],
    ...['', 'u', 'us', 'user:'].flatMap((before) =>
      ['', '!', '!!'].flatMap((after) => {
        const all = Buffer.from(before + value + after);
        return [
          [`in base64 between "${before}" and "${after}"`, all.toString('base64')] as const,
          [`in base64url between "${before}" and "${after}"`, all.toString('base64url')] as const,
        ];
      }),
    ),
  ];
  it.each(encodings)('is removed %s', (_, text) => {
    const result = redact(`x ${text} y`);
    expect(result).toContain('⟦removed: value of MY_TOKEN');
    expect(result.replaceAll(/⟦removed: [^⟧]*⟧/g, '').length).toBeLessThan(24);
    expect(redact(result)).toBe(result);
  });

  it.each(encodings)('is removed wrapped, %s', (how, text) => {
    for (const width of [7, 20, 33]) {
      const wrapped = text.replace(new RegExp(`.{${width}}`, 'gu'), '$&\n');
      const forms = [wrapped, wrapped.replaceAll('\n', '\r\n'), wrapped.replaceAll('\n', '\n    ')];
      // A line end within an escape, escaped once more, is not told from the escape.
      if (!how.includes('JSON') && how !== 'as it is') forms.push(JSON.stringify(wrapped));
      for (const form of forms) {
        expect(redact(`x ${form} y`).replaceAll(/⟦removed: [^⟧]*⟧/g, '').length).toBeLessThan(32);
      }
    }
  });

  it('is removed where a search marked a part of it', () => {
    expect(redact(`${value.slice(0, 9)}\x1b[01;31m\x1b[K${value.slice(9, 15)}\x1b[m\x1b[K${value.slice(15)}`)).toMatch(
      /^⟦removed[^⟧]*⟧$/,
    );
  });

  it('is removed twice where two overlap, and named once', () => {
    const both = createRedactor({
      known: [
        { name: 'a', value: 'abcdefgh' },
        { name: 'b', value: 'efghijkl' },
      ],
    });
    expect(both.redact('-abcdefghijkl-').text).toBe('-⟦removed: a, 12 characters⟧-');
  });

  it('may stand in the words of a placeholder', () => {
    const odd = createRedactor({
      known: [
        { name: 'x', value: 'removed: ' },
        { name: 'y', value: 'characters' },
      ],
    });
    const { text } = odd.redact('removed: 10 characters');
    expect(text).toBe('⟦removed: x, 9 characters⟧10 ⟦removed: y, 10 characters⟧');
    expect(odd.redact(text).text).toBe(text);
  });

  it('is named without what would break the line or the brackets', () => {
    const odd = createRedactor({ known: [{ name: 'A⟧\nB', value: 'abcdefgh' }] });
    expect(odd.redact('abcdefgh').text).toBe('⟦removed: A__B, 8 characters⟧');
  });

  it('never appears in the result, whatever it is and wherever it stands', () => {
    const secret = fc.oneof(
      fc.string({ minLength: 4, maxLength: 60 }),
      fc.string({ unit: 'binary', minLength: 4, maxLength: 40 }),
    );
    const part = fc.oneof(
      fc.string(),
      fc.constantFrom('\n', '\\', '\x1b[0m', '⟦removed: x, 4 characters⟧', '[... 9 bytes missing ...]'),
    );
    fc.assert(
      fc.property(secret, fc.array(part), fc.array(part), (known, before, after) => {
        fc.pre(!'⟦removed: , 0123456789 characters⟧'.includes(known));
        const one = createRedactor({ known: [{ name: 'k', value: known }] });
        const { text, removed } = one.redact(before.join('') + known + after.join(''));
        expect(text.replaceAll('⟦removed: k', '')).not.toContain(known);
        expect(removed.length).toBeGreaterThan(0);
        expect(one.redact(text).text).toBe(text);
      }),
      { numRuns: 2_000 },
    );
  });
});
