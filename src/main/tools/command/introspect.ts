import { spawn } from 'node:child_process';

/** How long an application may take to describe itself, in milliseconds. */
const TIMEOUT_MS = 30_000;
/** A longer description is refused, not cut: it has to be whole to be read. In bytes. */
const MAX_BYTES = 16 * 1024 * 1024;
/** How long its output may stay open after its end, in milliseconds. */
const DRAIN_MS = 500;
/** What is kept of its complaints, in bytes. */
const MAX_COMPLAINT = 2_000;

export interface IntrospectOptions {
  /** Absolute. */
  readonly program: string;
  readonly cwd: string;
  /** The whole environment of the child: the one that its commands get. */
  readonly environment: Readonly<Record<string, string>>;
  readonly timeoutMs?: number;
  readonly maxBytes?: number;
}

export type Introspected =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly error: string };

/**
 * Asks a Fisk application to describe itself: `PROGRAM --fisk-introspect`, exactly these tokens, with no stdin, in a
 * process group of its own that is ended with it. Never rejects; an error is for the operator.
 */
export async function introspect(options: IntrospectOptions): Promise<Introspected> {
  const { program, cwd, environment, timeoutMs = TIMEOUT_MS, maxBytes = MAX_BYTES } = options;
  const windows = process.platform === 'win32';
  return new Promise((resolve) => {
    const child = spawn(program, ['--fisk-introspect'], {
      cwd,
      env: { NODE_V8_COVERAGE: undefined, ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: !windows,
      windowsHide: true,
    });
    const chunks: Buffer[] = [];
    let bytes = 0;
    let complaint = '';
    let drain: NodeJS.Timeout | undefined;
    const end = (result: Introspected): void => {
      clearTimeout(timer);
      clearTimeout(drain);
      killTree(child.pid, windows);
      child.stdout.destroy();
      child.stderr.destroy();
      resolve(result);
    };
    const timer = setTimeout(
      () => end({ ok: false, error: `it did not describe itself within ${timeoutMs / 1_000} s` }),
      timeoutMs,
    );
    child.stdout.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > maxBytes) end({ ok: false, error: `its description of itself is longer than ${maxBytes} bytes` });
      else chunks.push(chunk);
    });
    child.stderr.on('data', (chunk: Buffer) => {
      if (complaint.length < MAX_COMPLAINT) complaint += chunk.toString('utf8').slice(0, MAX_COMPLAINT);
    });
    child.once('error', (error) => end({ ok: false, error: `it cannot be started: ${error.message}` }));
    // On `exit` and a short drain, because what it left behind may hold its output open.
    child.once('exit', (code, signal) => {
      const done = (): void => end(code === 0 ? decode(Buffer.concat(chunks)) : failed(code, signal, complaint));
      if (child.stdout.readableEnded) done();
      child.stdout.once('end', done);
      drain = setTimeout(done, DRAIN_MS);
    });
  });
}

function failed(code: number | null, signal: NodeJS.Signals | null, complaint: string): Introspected {
  const how = code === null ? `was ended by ${signal ?? 'a signal'}` : `ended with exit code ${code}`;
  const said = complaint.replace(/\s+/g, ' ').trim().slice(0, 300);
  return {
    ok: false,
    error: `\`--fisk-introspect\` ${how}${said === '' ? '' : ` (${said})`}: is it a Fisk application? Describe any other program with a manifest`,
  };
}

function decode(bytes: Buffer): Introspected {
  try {
    return { ok: true, text: new TextDecoder('utf-8', { fatal: true }).decode(bytes) };
  } catch {
    return { ok: false, error: 'its description of itself is not UTF-8 text' };
  }
}

function killTree(pid: number | undefined, windows: boolean): void {
  if (pid === undefined) return;
  try {
    process.kill(windows ? pid : -pid, 'SIGKILL');
  } catch {
    // Nothing of it is left.
  }
}
