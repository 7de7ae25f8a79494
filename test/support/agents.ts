import type { z } from 'zod';
import type { Script } from '../../src/main/models/script';
import type { AgentFile } from '../../src/shared/agent-file';

type Files = Readonly<Record<string, string>>;
type Turns = z.input<typeof Script>['turns'];
type Extra = Partial<z.input<typeof AgentFile>>;

interface ScriptedExtra extends Extra {
  readonly sections?: z.input<typeof Script>['sections'];
  readonly pace?: string;
}

/** JSON is YAML, and says exactly what a test means. */
const yaml = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

/** An agent that says and calls what a test scripts, turn by turn, offline. */
export function scripted(name: string, turns: Turns, { sections, pace, ...extra }: ScriptedExtra = {}): Files {
  const script = { turns, ...(sections === undefined ? {} : { sections }), ...(pace === undefined ? {} : { pace }) };
  return {
    [`${name}.agent.yaml`]: yaml({ name, provider: 'scripted', script: `./${name}.script.yaml`, ...extra }),
    [`${name}.script.yaml`]: yaml(script),
  };
}

/** An agent behind the Messages API: ANTHROPIC_BASE_URL says where. */
export function claude(name: string, extra: Extra = {}): Files {
  return { [`${name}.agent.yaml`]: yaml({ name, provider: 'anthropic', model: 'claude-sonnet-4-5', ...extra }) };
}

/** A turn that calls one tool. */
export function calls(tool: string, input: Readonly<Record<string, unknown>>): Turns[number] {
  return { calls: [{ tool, input: { ...input } }] };
}

/** A turn that runs a program. */
export function runs(...argv: readonly string[]): Turns[number] {
  return calls('run_command', { argv: [...argv] });
}

/** A turn that ends the run with a few words. */
export function says(words: string): Turns[number] {
  return { say: words };
}
