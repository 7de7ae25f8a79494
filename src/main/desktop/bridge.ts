import { type BridgeError, type BridgeMethod, type BridgeOutput, type BridgeResult, bridge } from '@shared/bridge';
import { type IpcMainInvokeEvent, ipcMain } from 'electron';
import type { z } from 'zod';
import { AnswerRefused } from '../approvals/inbox';
import { Refusal } from '../runs/refusal';
import { DamagedStore, StoreError } from '../sessions/database';
import { SessionProblem } from '../sessions/problem';
import { troubleOf } from '../sessions/store-words';

type ParsedInput<M extends BridgeMethod> = z.output<(typeof bridge)[M]['input']>;

/** What carries the bridge's methods out; their inputs are parsed, their outputs are checked before they leave. */
export type BridgeHandlers = {
  readonly [M in BridgeMethod]: (input: ParsedInput<M>) => BridgeOutput<M> | Promise<BridgeOutput<M>>;
};

const METHODS = Object.keys(bridge) as BridgeMethod[];

/**
 * Opens the bridge. Only the page of our own window, in its top frame, may call it; every input is parsed strictly, and
 * every failure is a value that says what is wrong.
 * @param onError is told of every failure, too
 */
export function openBridge(
  handlers: BridgeHandlers,
  isTrusted: (event: IpcMainInvokeEvent) => boolean,
  onError: (error: unknown) => void,
): void {
  for (const method of METHODS) {
    ipcMain.handle(`sayso:${method}`, (event, input: unknown, ...rest: unknown[]) => {
      if (!isTrusted(event)) return refused('This page may not use the bridge.');
      if (rest.length > 0) return invalid(method, 'it takes one object and nothing more');
      return answer(method, handlers, input, onError);
    });
  }
}

/** A bridge on which every method says why the app could not start, but the one that puts a damaged store aside. */
export function failedHandlers(error: Error, recoverStore: BridgeHandlers['recoverStore']): BridgeHandlers {
  const fail = () => {
    throw error;
  };
  return { ...Object.fromEntries(METHODS.map((method) => [method, fail])), recoverStore } as unknown as BridgeHandlers;
}

async function answer<M extends BridgeMethod>(
  method: M,
  handlers: BridgeHandlers,
  input: unknown,
  onError: (error: unknown) => void,
): Promise<BridgeResult<M>> {
  const parsed = bridge[method].input.safeParse(input);
  if (!parsed.success) return invalid(method, explain(parsed.error));
  try {
    const value = await handlers[method](parsed.data as ParsedInput<M>);
    return { ok: true, value: bridge[method].output.parse(value) as BridgeOutput<M> };
  } catch (error) {
    onError(error);
    return { ok: false, error: toBridgeError(error) };
  }
}

/** Every problem with its place; the values themselves are left out, one may be a key. */
function explain(error: z.ZodError): string {
  return error.issues.map(({ path, message }) => `${path.map(String).join('.') || 'input'}: ${message}`).join('; ');
}

function invalid(method: BridgeMethod, what: string): { readonly ok: false; readonly error: BridgeError } {
  return { ok: false, error: { code: 'invalid-input', message: `${method} was given a wrong input: ${what}` } };
}

function refused(message: string): { readonly ok: false; readonly error: BridgeError } {
  return { ok: false, error: { code: 'refused', message } };
}

function toBridgeError(error: unknown): BridgeError {
  if (error instanceof Refusal || error instanceof SessionProblem) {
    const { code, message, remedy } = error;
    return { code, message, ...(remedy === undefined ? {} : { remedy }) };
  }
  if (error instanceof AnswerRefused) return { code: error.code, message: error.message };
  if (error instanceof DamagedStore) return { code: 'damaged', message: error.message, remedy: error.remedy };
  if (error instanceof StoreError) return { code: 'failed', message: error.message, remedy: error.remedy };
  console.error(error);
  const trouble = troubleOf(error);
  if (trouble !== null) return { code: 'failed', ...trouble };
  const what = error instanceof Error ? error.message : String(error);
  return { code: 'failed', message: `Something went wrong inside Sayso: ${what}` };
}
