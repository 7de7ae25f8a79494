import type { CallPreview } from '@shared/requests';
import type { KeptBy, Protection, SandboxTier } from '@shared/states';
import { plural } from '../ui/format';

export const PROTECTIONS = [
  'files',
  'network',
  'processes',
  'privileges',
] as const satisfies readonly (keyof SandboxTier)[];
export type ProtectionName = (typeof PROTECTIONS)[number];

/** `unused`: the call has nothing to do with it, so there is nothing to keep. */
export type Hold = Protection | 'unused';

/** Each is told by its sign, its colour and its words. */
export const HOLD_LOOK: Readonly<Record<Hold, { sign: string; words: string; tone: 'ok' | 'bad' | 'wait' | 'stop' }>> =
  {
    enforced: { sign: '✓', words: 'enforced', tone: 'ok' },
    'not-enforced': { sign: '✕', words: 'not enforced', tone: 'bad' },
    unknown: { sign: '?', words: 'not known', tone: 'wait' },
    unused: { sign: '–', words: 'not used', tone: 'stop' },
  };

const HOLDS: Readonly<Record<ProtectionName, readonly [string, string]>> = {
  files: ['files: confined to the workspace', 'files: not confined, a command reaches whatever you can'],
  network: ['network: shut off', 'network: open'],
  processes: ['processes: own process tree, stopped as a whole', 'processes: not separated from yours'],
  privileges: ['privileges: taken away', 'privileges: the same as yours'],
};

/** A protection of a tier in words. What is not known is said to be so and treated as not enforced. */
export function protectionWords(name: ProtectionName, tier: SandboxTier): string {
  const [yes, no] = HOLDS[name];
  if (tier[name] === 'unknown') return `${name}: not known, treat it as not enforced`;
  if (tier[name] === 'not-enforced') return no;
  return name === 'network' && tier.hosts !== undefined ? `network: ${hostCount(tier.hosts)} and no other` : yes;
}

export const hostCount = (hosts: readonly string[]): string => plural(hosts.length, 'host');

/** What keeps a call within bounds; null where that is not on record and cannot be told from what is. */
export function keeperOf(keptBy: KeptBy | undefined, preview: CallPreview): KeptBy | null {
  if (keptBy !== undefined) return keptBy;
  if (preview.kind === 'command') return 'sandbox';
  return preview.kind === 'arguments' ? null : 'file-rules';
}

/** Whether a call is kept by the tier of the run. */
export const isSandboxed = (keeper: KeptBy | null): boolean => keeper === 'sandbox' || keeper === 'server-sandbox';

export interface Held {
  readonly name: ProtectionName;
  readonly hold: Hold;
  /** The whole of it in words. */
  readonly words: string;
}

/** Who keeps a call, in short, and each protection; null for the tier of a sandbox that is not known. */
export function heldBy(
  keeper: KeptBy,
  tier: SandboxTier | null,
): { readonly who: string; readonly held: readonly Held[] } | null {
  if (isSandboxed(keeper)) {
    if (tier === null) return null;
    const held = PROTECTIONS.map((name) => ({ name, hold: tier[name], words: protectionWords(name, tier) }));
    return { who: keeper === 'sandbox' ? 'the sandbox' : 'the sandbox of its server', held };
  }
  const { who, rules } = OWN_RULES[keeper as keyof typeof OWN_RULES];
  return { who, held: PROTECTIONS.map((name) => ({ name, ...rules[name] })) };
}

type Rules = Readonly<Record<ProtectionName, Omit<Held, 'name'>>>;

/** No program of the agent's runs: what is not looked after by a rule is not there to be kept. */
const NOT_USED: Rules = {
  files: { hold: 'unused', words: 'files: none is read or changed' },
  network: { hold: 'unused', words: 'network: not used' },
  processes: { hold: 'unused', words: 'processes: none is started' },
  privileges: { hold: 'unused', words: 'privileges: no program runs that could use yours' },
};

const OPEN: Rules = {
  files: { hold: 'not-enforced', words: 'files: Sayso does not confine the server' },
  network: { hold: 'not-enforced', words: 'network: Sayso does not confine the server' },
  processes: { hold: 'not-enforced', words: 'processes: Sayso does not end what the server began' },
  privileges: { hold: 'not-enforced', words: 'privileges: those of the server' },
};

/** By whose rules it goes where the sandbox has no part in it (docs/sandbox.md). */
const OWN_RULES: Readonly<Record<Exclude<KeptBy, 'sandbox' | 'server-sandbox'>, { who: string; rules: Rules }>> = {
  'file-rules': {
    who: 'Sayso’s file rules',
    rules: {
      ...NOT_USED,
      files: { hold: 'enforced', words: 'files: kept to the workspace and what the agent file opens, by Sayso itself' },
    },
  },
  'web-rules': {
    who: 'Sayso’s network rules',
    rules: {
      ...NOT_USED,
      network: {
        hold: 'enforced',
        words: 'network: public addresses, and private hosts that the agent file names; nothing of yours is added',
      },
    },
  },
  app: { who: 'Sayso itself', rules: NOT_USED },
  server: { who: 'nobody here: a server at an address', rules: OPEN },
};
