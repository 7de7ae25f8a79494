import { rules } from '@secretlint/secretlint-rule-preset-recommend';
import type { Found } from './placeholder';

/**
 * The part of secretlint's published rule interface that a scan of a string needs. Its own core adds a promise for each
 * rule, file handling and comments in the text that switch rules off; none of these may decide here.
 */
interface Rule {
  readonly meta: { readonly id: string };
  create(context: RuleContext, options: Readonly<Record<string, never>>): { file?(source: RuleSource): unknown };
}

interface RuleContext {
  readonly sharedOptions: Readonly<Record<string, never>>;
  createTranslator(): (messageId: string, data?: MessageData) => { message: string; data: MessageData };
  report(finding: { message: { data: MessageData }; range: readonly [number, number] }): void;
  ignore(): void;
}

/** What a rule fills its message with, the secret among it. */
type MessageData = Readonly<Record<string, unknown>>;

interface RuleSource {
  readonly content: string;
  readonly filePath: string | undefined;
  readonly ext: string;
  readonly contentType: 'text';
}

const PREFIX = '@secretlint/secretlint-rule-';

/** One lets comments in the text switch rules off; one reads files; keys in PEM are found by our own scan, cut ones too. */
const LEFT_OUT = new Set(['filter-comments', 'gcp', 'privatekey']);

const WORDS: Readonly<Record<string, string>> = {
  '1password': '1Password service account token',
  anthropic: 'Anthropic API key',
  aws: 'AWS secret access key',
  basicauth: 'password in a URL',
  cloudflare: 'Cloudflare token',
  'database-connection-string': 'database password',
  databricks: 'Databricks token',
  docker: 'Docker access token',
  figma: 'Figma access token',
  github: 'GitHub token',
  gitlab: 'GitLab access token',
  grafana: 'Grafana token',
  groq: 'Groq API key',
  'hashicorp-vault': 'HashiCorp Vault token',
  huggingface: 'Hugging Face access token',
  linear: 'Linear API token',
  notion: 'Notion integration token',
  npm: 'npm token',
  openai: 'OpenAI API key',
  sendgrid: 'SendGrid API key',
  shopify: 'Shopify API key',
  slack: 'Slack token',
  stripe: 'Stripe key',
  tailscale: 'Tailscale key',
  vercel: 'Vercel token',
};

/** Rules that report a whole link: only the password in it is the secret, the rest helps the model. */
const LINKS = new Set(['basicauth', 'database-connection-string']);
const LINK_PASSWORD = /^[a-z][a-z0-9+.:-]{0,40}:\/\/[^\s/@:]{0,256}:([^\s/@"'`<>\\]{1,512})@/di;
/** This rule reports the rest of a line, which in JSON is more than the token. */
const FIRST_WORD = /^([^\s"'`,;]+)/d;

interface Named {
  readonly id: string;
  readonly what: string;
  readonly rule: Rule;
}

const named: readonly Named[] = (rules as unknown as readonly Rule[])
  .map((rule) => ({ id: rule.meta.id.replace(PREFIX, ''), rule }))
  .filter(({ id }) => !LEFT_OUT.has(id))
  .map(({ id, rule }) => ({ id, rule, what: WORDS[id] ?? `secret of ${id}` }));

/** The rules that are in force, by secretlint's names, and what is found by each called. */
export const libraryRules: ReadonlyMap<string, string> = new Map(named.map(({ id, what }) => [id, what]));

/** What secretlint's recommended rules find in a text, whatever file it came from. */
export function libraryShapes(text: string): Found[] {
  return named.flatMap((one) => {
    const found = scan(one, text, undefined);
    if (LINKS.has(one.id)) return narrowed(text, found, LINK_PASSWORD);
    if (one.id !== 'npm' || !text.includes('_authToken=')) return found;
    // This rule looks for a registry's credentials only where it is told that it reads a settings file.
    return [...found, ...narrowed(text, scan(one, text, '.npmrc'), FIRST_WORD)];
  });
}

function scan({ rule, what }: Named, text: string, filePath: string | undefined): Found[] {
  const found: Found[] = [];
  const handler = rule.create(
    {
      sharedOptions: {},
      createTranslator:
        () =>
        (_, data = {}) => ({ message: '', data }),
      report: ({ message, range }) => found.push({ ...exactly(text, range, message.data), what }),
      ignore: () => undefined,
    },
    {},
  );
  handler.file?.({ content: text, filePath, ext: '', contentType: 'text' });
  return found;
}

/**
 * Where the secret stands. A rule that looks for a name and a secret after it reports the secret's length, but from where
 * the name begins (seen in 13.1.0: aws, npm); what it fills its message with is right.
 */
function exactly(
  text: string,
  [start, end]: readonly [number, number],
  data: MessageData,
): { start: number; end: number } {
  const secret = Object.values(data).find((value) => typeof value === 'string' && value.length === end - start);
  const at = typeof secret === 'string' ? text.indexOf(secret, start) : -1;
  return at === -1 ? { start, end } : { start: at, end: at + end - start };
}

/** The group of `pattern` in each of `found`; one that it does not match was no secret: two values of JSON, say. */
function narrowed(text: string, found: readonly Found[], pattern: RegExp): Found[] {
  return found.flatMap(({ start, end, what }) => {
    const range = pattern.exec(text.slice(start, end))?.indices?.[1];
    return range === undefined ? [] : [{ start: start + range[0], end: start + range[1], what }];
  });
}
