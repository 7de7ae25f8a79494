import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { libraryRules } from '../../../../src/main/tools/redaction/library-shapes';
import { createRedactor } from '../../../../src/main/tools/redaction/redactor';
import { privateKey, random, SHAPES } from './secrets';

const redactor = createRedactor({ known: [] });
const redact = (text: string): string => redactor.redact(text).text;

describe('a credential with a shape of its own', () => {
  const places: readonly (readonly [where: string, (secret: string) => string])[] = [
    ['alone', (secret) => secret],
    ['in a sentence', (secret) => `The token is ${secret}, keep it.`],
    ['in an env file', (secret) => `A=1\nTHE_TOKEN="${secret}"\nB=2`],
    ['in JSON', (secret) => JSON.stringify({ token: secret })],
    ['at the start of a line in JSON', (secret) => JSON.stringify({ output: `first\n${secret}\nlast` })],
    [
      'in JSON in JSON',
      (secret) => JSON.stringify({ output: JSON.stringify({ token: secret, text: `\n${secret}\t` }) }),
    ],
    ['in colour', (secret) => `\x1b[32m${secret}\x1b[0m`],
    ['half in colour', (secret) => `${secret.slice(0, 6)}\x1b[01;31m\x1b[K${secret.slice(6)}\x1b[m`],
    ['in a link', (secret) => `https://example.org/?token=${secret}&x=1`],
    ['behind a line of Chinese', (secret) => `令牌：${secret}`],
  ];
  for (const [where, put] of places) {
    it.each(SHAPES)(`is removed ${where}: %s`, (what, secret) => {
      // A link as part of a link is none; the rule wants it to begin where a scheme can.
      const { text, removed } = redactor.redact(put(secret));
      expect(text).not.toContain(secret.slice(-16));
      expect(text).toContain(`⟦removed: ${what}`);
      expect(removed.length).toBeGreaterThan(0);
      expect(redactor.redact(text)).toEqual({ text, removed: [] });
    });
  }

  it('says what was removed and how long it was, in place', () => {
    const [, secret] = SHAPES[0] ?? ['', ''];
    expect(redactor.redact(`a ${secret} b`)).toEqual({
      text: 'a ⟦removed: GitHub token, 40 characters⟧ b',
      removed: [{ what: 'GitHub token', length: 40 }],
    });
  });

  it('leaves JSON that can still be parsed', () => {
    for (const [, secret] of SHAPES) {
      const content = JSON.stringify({
        command: ['cat', '.env'],
        output: `A="${secret}"\n_authToken=${secret}`,
        truncated: false,
      });
      expect(JSON.parse(redact(content))).toMatchObject({ truncated: false });
    }
  });

  it('is not kept by a comment that switches a scanner off', () => {
    const [, secret] = SHAPES[0] ?? ['', ''];
    expect(redact(`// secretlint-disable\n${secret} // secretlint-disable-line`)).not.toContain(secret);
  });

  it('is not kept by brackets around it', () => {
    const [, secret] = SHAPES[0] ?? ['', ''];
    expect(redact(`⟦removed: ${secret}, 3 characters⟧`)).not.toContain(secret);
    expect(redact(`_authToken=⟦removed: npm token, 3 characters⟧${secret}`)).not.toContain(secret);
  });
});

describe('a secret that its name gives away', () => {
  const password = random('password', 18);
  const secret = random('aws', 40);
  it.each([
    [`aws_secret_access_key = ${secret}`, `aws_secret_access_key = ⟦removed: AWS secret access key, 40 characters⟧`],
    [`{"SecretAccessKey": "${secret}"}`, `{"SecretAccessKey": "⟦removed: AWS secret access key, 40 characters⟧"}`],
    [
      `postgres://app:${password}@db.internal:5432/x`,
      'postgres://app:⟦removed: database password, 18 characters⟧@db.internal:5432/x',
    ],
    [`redis://:${password}@cache:6379`, 'redis://:⟦removed: password in a URL, 18 characters⟧@cache:6379'],
    [
      `https://ci:${password}@git.example.org/r.git`,
      'https://ci:⟦removed: password in a URL, 18 characters⟧@git.example.org/r.git',
    ],
    [`//npm.example.com/:_authToken=${password}`, '//npm.example.com/:_authToken=⟦removed: npm token, 18 characters⟧'],
    [`> Authorization: Bearer ${password}`, '> Authorization: Bearer ⟦removed: Authorization header, 18 characters⟧'],
  ])('is removed, and only it: %s', (text, expected) => {
    expect(redact(text)).toBe(expected);
    expect(redact(expected)).toBe(expected);
    expect(JSON.parse(redact(JSON.stringify({ text, after: 1 })))).toEqual({ text: expected, after: 1 });
  });
});

describe('a private key', () => {
  const labels = [
    'PRIVATE KEY',
    'RSA PRIVATE KEY',
    'EC PRIVATE KEY',
    'OPENSSH PRIVATE KEY',
    'ENCRYPTED PRIVATE KEY',
    'PGP PRIVATE KEY BLOCK',
  ];
  const forms: readonly (readonly [string, (armour: string) => string])[] = [
    ['as it is', (armour) => armour],
    ['with Windows line ends', (armour) => armour.replaceAll('\n', '\r\n')],
    ['in JSON', (armour) => JSON.stringify({ private_key: `${armour}\n` })],
    ['indented', (armour) => armour.replace(/^/gm, '    ')],
    ['in a diff', (armour) => armour.replace(/^/gm, '+')],
    ['without its end', (armour) => armour.slice(0, armour.indexOf('-----END'))],
    ['without its end, in a diff', (armour) => armour.slice(0, armour.indexOf('-----END')).replace(/^/gm, '+')],
    ['broken off in a line', (armour) => armour.slice(0, 500)],
    ['without its end, in JSON', (armour) => JSON.stringify({ output: armour.slice(0, 500), truncated: true })],
    ['without its beginning', (armour) => armour.slice(200)],
    ['without its beginning, in JSON', (armour) => JSON.stringify({ output: armour.slice(200), truncated: true })],
    ['on one line', (armour) => armour.replaceAll('\n', '')],
  ];
  for (const [how, form] of forms) {
    it.each(labels)(`is removed whole, ${how}: %s`, (label) => {
      const { armour, body } = privateKey(label);
      const text = redact(`before\n${form(armour)}\nafter this`);
      for (const line of body) expect(text).not.toContain(line.slice(0, 20));
      expect(text).toContain('before');
      expect(text).toContain('after this');
      expect(redact(text)).toBe(text);
    });
  }

  it('is one removal, and the text around it stays', () => {
    const { armour } = privateKey();
    expect(redact(`a\n${armour}\nb`)).toBe(`a\n⟦removed: private key, ${armour.length} characters⟧\nb`);
  });

  it('takes an encrypted key with its headers', () => {
    const { body } = privateKey();
    const text = [
      '-----BEGIN RSA PRIVATE KEY-----',
      'Proc-Type: 4,ENCRYPTED',
      'DEK-Info: AES-128-CBC,0123',
      '',
      ...body,
    ].join('\n');
    expect(redact(text)).toBe(`⟦removed: private key, ${text.length} characters⟧`);
  });

  it.each([
    "if (text.startsWith('-----BEGIN PRIVATE KEY-----')) return;",
    '-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----',
    '-----BEGIN PUBLIC KEY-----\nMIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA1234567890abcdefghijkl\n-----END PUBLIC KEY-----',
    'The END is marked by -----END PRIVATE KEY-----',
  ])('is not what only speaks of one: %s', (text) => expect(redact(text)).toBe(text));
});

describe('what is no secret', () => {
  it.each([
    ['a git hash', `commit ${random('git', 40, 'hex')}`],
    ['a SHA-256 sum', `${random('sum', 64, 'hex')}  file.tar.gz`],
    ['a UUID', '3f2504e0-4f89-41d3-9a0c-0305e82c3301'],
    ['an integrity hash', `"integrity": "sha512-${Buffer.from(random('int', 64)).toString('base64')}"`],
    ['an image', `data:image/png;base64,${random('image', 4000)}`],
    ['a public SSH key', `ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI${random('ssh', 43)} me@host`],
    [
      'a certificate',
      `-----BEGIN CERTIFICATE-----\n${random('c1', 64)}\n${random('c2', 64)}\n-----END CERTIFICATE-----`,
    ],
    ['a link with a port', 'http://localhost:3000/@scope/name and https://example.org:8443/a@b'],
    ['two values of minified JSON', '{"url":"mysql://db:3306","owner":"me@example.org"}'],
    ['a password that is a variable', `postgres://app:${'$'}{DB_PASSWORD}@db/x https://u:{password}@h.org`],
    ['an example password', 'postgres://user:password@localhost:5432/db'],
    ['the key in the AWS manual', glued('AKIA', 'IOSFODNN7EXAMPLE')],
    ['a CSS class', '.sk-fading-circle .sk-circle-inner-element-with-a-long-name-of-its-own { }'],
    ['a Node path', '/root/.npm/_npx/0123456789abcdef/node_modules/npm_config_helper/lib/index.js'],
    ['program text', 'const token = await getToken({ key: process.env.API_KEY, session: request.cookies.session });'],
    ['an ISO time', '2026-11-30T16:15:48.123456789Z'],
  ])('stays as it is: %s', (_, text) => expect(redactor.redact(text)).toEqual({ text, removed: [] }));

  it.each(['package-lock.json', 'package.json', 'biome.json', 'src/shared/events.ts'])('stays as it is: %s', (path) => {
    const text = readFileSync(path, 'utf8');
    expect(redact(text)).toBe(text);
    expect(redact(JSON.stringify(text))).toBe(JSON.stringify(text));
  });
});

describe('the rules of secretlint', () => {
  it('are those that were looked at: a new one needs words, and a look at its cost', () => {
    expect([...libraryRules.values()].filter((what) => what.startsWith('secret of'))).toEqual([]);
    expect(libraryRules.size).toBe(25);
  });
});

function glued(...parts: string[]): string {
  return parts.join('');
}
