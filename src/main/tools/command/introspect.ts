import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { OpenProcess, ProcessEnd, Sandbox } from '../../sandbox/process';

/** How long an application may take to describe itself, in milliseconds. */
const TIMEOUT_MS = 30_000;
/** A longer description is refused, not cut: it has to be whole to be read. In bytes. */
const MAX_BYTES = 16 * 1024 * 1024;
/** What is kept of its complaints, in characters. */
const MAX_COMPLAINT = 2_000;

export interface IntrospectOptions {
  /** The one that its commands will run in. */
  readonly sandbox: Sandbox;
  /** How it is called: a name on the PATH of the environment, or an absolute path. */
  readonly program: string;
  /** The whole environment of the child: the one that its commands get. */
  readonly environment: Readonly<Record<string, string>>;
  readonly timeoutMs?: number;
  readonly maxBytes?: number;
}

export type Introspected =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly error: string };

/**
 * Asks a Fisk application to describe itself: `PROGRAM --fisk-introspect`, exactly these tokens, in the sandbox of its
 * commands, in an empty folder of its own, so that it says the same whatever the workspace holds. Its whole tree is ended
 * with it. Never rejects; an error is for the operator.
 */
export async function introspect(options: IntrospectOptions): Promise<Introspected> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'sayso-introspect-')));
  try {
    const { sandbox, program, environment } = options;
    const argv = [program, '--fisk-introspect'] as const;
    const child = await sandbox.open({ argv, cwd: folder, environment, workspace: folder });
    return await listen(child, options);
  } catch (error) {
    return failed(error instanceof Error ? error.message : String(error));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const failed = (error: string): Introspected => ({ ok: false, error });

async function listen(child: OpenProcess, options: IntrospectOptions): Promise<Introspected> {
  const { timeoutMs = TIMEOUT_MS, maxBytes = MAX_BYTES } = options;
  const chunks: Buffer[] = [];
  let bytes = 0;
  let complaint = '';
  let timer: NodeJS.Timeout | undefined;
  child.stdin.end();
  child.stderr.on('data', (chunk: Buffer) => {
    if (complaint.length < MAX_COMPLAINT) complaint += chunk.toString('utf8').slice(0, MAX_COMPLAINT);
  });
  const cut = new Promise<string>((resolve) => {
    timer = setTimeout(() => resolve(`it did not describe itself within ${timeoutMs / 1_000} s`), timeoutMs);
    child.stdout.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > maxBytes) resolve(`its description of itself is longer than ${maxBytes} bytes`);
      else chunks.push(chunk);
    });
  });
  const end = await Promise.race([cut, child.ended]);
  clearTimeout(timer);
  if (typeof end === 'string') {
    await child.end();
    return failed(end);
  }
  return end.type === 'exited' && end.exitCode === 0 ? decode(Buffer.concat(chunks)) : refused(end, complaint);
}

function refused(end: ProcessEnd, complaint: string): Introspected {
  const said = complaint.replace(/\s+/g, ' ').trim().slice(0, 300);
  const words = said === '' ? '' : ` (${said})`;
  return failed(
    `\`--fisk-introspect\` ${howItEnded(end)}${words}: is it a Fisk application? Describe any other program with a manifest`,
  );
}

function howItEnded(end: ProcessEnd): string {
  if (end.type === 'exited') return `ended with exit code ${end.exitCode}`;
  return end.type === 'signalled' ? `was ended by signal ${end.signal}` : 'did not end by itself';
}

function decode(bytes: Buffer): Introspected {
  try {
    return { ok: true, text: new TextDecoder('utf-8', { fatal: true }).decode(bytes) };
  } catch {
    return failed('its description of itself is not UTF-8 text');
  }
}
