import type { DisplayToken, GrantMatch, GrantSandbox, RememberOption } from '@shared/requests';
import type { RememberScope } from '@shared/states';
import { isConfinedAs } from './confined-as';
import { canRunAnything } from './labels/any-command';

/** The call that an approval is about, as far as remembering it goes. */
export interface Rememberable {
  readonly tool: string;
  /** The executable that "this command" means; null where the tool itself is the command. */
  readonly program: string | null;
  readonly digest: string;
  readonly agentId: string;
  /** Another one as soon as the agent is not what it was. */
  readonly agentVersion: string;
  readonly agentName: string;
  readonly command: readonly DisplayToken[];
  /** What keeps it within bounds, where that is the sandbox of the run; null where it is not. */
  readonly sandbox: GrantSandbox | null;
}

/** A shell line can hold any command, so remembering it covers every command there is. */
const SHELL_TOOL = 'shell';

/** No path holds a NUL, so nothing that a path says can be taken for a hash. */
const HASH_MARK = '\0';

/**
 * The ways in which an approval may be remembered, in words that say what each would cover. A command whose display
 * carries a warning can be approved, but never remembered: what was not plain to see must not be waved through later.
 */
export function rememberOptions(call: Rememberable): RememberOption[] {
  if (hasWarning(call.command)) return [];
  const what = inWords(call);
  const broad = call.tool === SHELL_TOOL || (call.program !== null && canRunAnything(pathOf(call.program)));
  return [
    { scope: 'exact', covers: 'Exactly this, in this folder, in this session', broad: false },
    { scope: 'session', covers: `${what}, in this session`, broad },
    {
      scope: 'agent',
      covers: `${what}, in every session of agent ${call.agentName} as it is now, until Sayso quits`,
      broad,
    },
  ];
}

function inWords({ tool, program }: Rememberable): string {
  if (tool === SHELL_TOOL) return 'Any shell command whatever';
  if (program !== null) {
    const path = pathOf(program);
    const asItIs = path === program ? '' : ', as its file is now';
    return `${path} with any arguments${asItIs}${canRunAnything(path) ? ': that is any command whatever' : ''}`;
  }
  return `${tool} with any arguments`;
}

/**
 * A program as a grant remembers it. One that lies in the workspace may be rewritten by the very agent that was granted
 * it, so what is in it belongs to its name.
 * @param hash of its content; null for a program of the system
 */
export function programIdentity(path: string, hash: string | null): string {
  return hash === null ? path : `${path}${HASH_MARK}${hash}`;
}

function pathOf(program: string): string {
  return program.split(HASH_MARK)[0] ?? program;
}

/** What a grant of this scope matches. */
export function grantMatch(call: Rememberable, scope: RememberScope): GrantMatch {
  const { tool, program, agentId, agentVersion } = call;
  const within = call.sandbox === null ? {} : { sandbox: call.sandbox };
  switch (scope) {
    case 'exact':
      return { scope, tool, digest: call.digest };
    case 'session':
      return { scope, tool, program, ...within };
    case 'agent':
      return { scope, tool, program, agentId, agentVersion, ...within };
  }
}

/** Whether what a grant matches covers a call; the caller has seen to it that the session is the right one. */
export function covers(match: GrantMatch, call: Rememberable): boolean {
  if (match.tool !== call.tool || hasWarning(call.command)) return false;
  switch (match.scope) {
    case 'exact':
      // The digest is of the sandbox, too.
      return match.digest === call.digest;
    case 'session':
      return match.program === call.program && isConfinedAs(match.sandbox, call.sandbox);
    case 'agent':
      return (
        match.program === call.program &&
        match.agentId === call.agentId &&
        match.agentVersion === call.agentVersion &&
        isConfinedAs(match.sandbox, call.sandbox)
      );
  }
}

function hasWarning(command: readonly DisplayToken[]): boolean {
  return command.some((token) => token.warnings.length > 0);
}
