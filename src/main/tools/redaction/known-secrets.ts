import { NEVER_PASSED } from '@shared/agent-file';
import { type KnownSecret, MIN_KNOWN_LENGTH } from './known-values';

/** A value with a name that only looks secret is searched for from this length on, in characters. */
const MIN_GUESSED_LENGTH = 8;

const SECRET_NAME =
  /KEY(?!BOARD|MAP|RING|TIMEOUT)|TOKEN|SECRET|PASS(?:WORD|WD|PHRASE|CODE)|(?:^|_|SSH)PASS(?:$|_)|PWD|CREDENTIAL|CREDS?(?:$|_)|AUTH(?!OR(?!I))|COOKIE|SESSION|JWT|BEARER|PRIVATE|SIGNING|WEBHOOK|DSN|CONN(?:ECTION)?_?STR/i;

/** Set by a desktop or a shell: what looks secret in these names is not. */
const NOT_SECRET =
  /^(?:PWD|OLDPWD|XDG_.*|DESKTOP_SESSION|GDMSESSION|SESSION_MANAGER|SESSIONNAME|SSH_AUTH_SOCK|XAUTHORITY)$/i;

/** A place in the file system rather than a value. */
const PLACE =
  /^(?:[~.]{1,2}\/|\/(?:bin|dev|etc|home|lib|media|mnt|nix|opt|private|proc|root|run|sbin|snap|srv|sys|tmp|usr|var|Applications|Library|System|Users|Volumes|workspace)(?:\/|$)|[A-Za-z]:\\|\\\\)/;

/** Words that are settings, or passwords that are no secret: to remove them everywhere would only spoil the text. */
const ORDINARY =
  /^(?:true|false|yes|no|on|off|null|none|undefined|enabled?|disabled?|required|optional|default|anonymous|localhost|password|changeme|example|postgres|test(?:ing)?|development|production|\d{1,11}|(.)\1*)$/i;

const URL_PASSWORD = /^[a-z][a-z0-9+.-]{0,40}:\/\/[^\s/@:]{0,256}:([^\s/@]{4,512})@/i;

/** A link without a user, and without a part long enough to be a token: an address to log in at, not a secret. */
const ADDRESS = /^[a-z][a-z0-9+.-]{0,40}:\/\/(?!.{0,2000}[^/?&=#]{20})[^\s@]*$/i;

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Which values of the app's environment to look for in what a tool prints: the app's own credentials, and what a child
 * does not get and has a secret's name or is a link with a password. A value that the child gets under any name is
 * left out: an agent file passed it on purpose.
 */
export function knownSecrets(app: Environment, child: Environment, apiKey: string | null): KnownSecret[] {
  const reaching = new Set(Object.values(child));
  const secrets = new Map<string, KnownSecret>();
  const add = (name: string, value: string): void => {
    if (!secrets.has(value)) secrets.set(value, { name, value });
  };
  if (apiKey !== null && apiKey.trim().length >= MIN_KNOWN_LENGTH) add("the app's API key", apiKey.trim());
  for (const [name, value = ''] of Object.entries(app)) {
    const ours = (NEVER_PASSED as readonly string[]).includes(name.toUpperCase());
    if (!ours && reaching.has(value)) continue;
    for (const part of ours ? credentials(name, value) : guessed(name, value)) add(`value of ${name}`, part);
  }
  return [...secrets.values()];
}

/** A credential of the app, however it looks; of a list of headers, the value of each. */
function credentials(name: string, value: string): string[] {
  const values = name.toUpperCase() === 'ANTHROPIC_CUSTOM_HEADERS' ? value.split(/\r?\n/).map(headerValue) : [value];
  return values.map((one) => one.trim()).filter((one) => one.length >= MIN_KNOWN_LENGTH && !ORDINARY.test(one));
}

function headerValue(line: string): string {
  return line.slice(line.indexOf(':') + 1).replace(/^\s*(?:Bearer|Basic)\s+/i, '');
}

function guessed(name: string, value: string): string[] {
  const trimmed = value.trim();
  const password = URL_PASSWORD.exec(trimmed)?.[1];
  if (password !== undefined && !ORDINARY.test(password)) return [password, safelyDecoded(password)];
  if (!SECRET_NAME.test(name) || NOT_SECRET.test(name)) return [];
  const ordinary = [ORDINARY, PLACE, ADDRESS].some((pattern) => pattern.test(trimmed));
  return trimmed.length >= MIN_GUESSED_LENGTH && !ordinary ? [trimmed] : [];
}

function safelyDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // A stray percent sign: then the password is what stands there.
    return text;
  }
}
