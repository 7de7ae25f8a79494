import { type BridgeError, type BridgeInput, type BridgeMethod, type BridgeResult, bridge } from '@shared/bridge';

type Method<M extends BridgeMethod> = (input: BridgeInput<M>) => Promise<BridgeResult<M>>;

/** Calls the main process and never throws: what cannot be carried out comes back as an error in words. */
export async function ask<M extends BridgeMethod>(method: M, input: BridgeInput<M>): Promise<BridgeResult<M>> {
  let result: BridgeResult<M>;
  try {
    result = await (window.sayso[method] as unknown as Method<M>)(input);
  } catch {
    return failure('The window could not reach the main process.', 'Nothing was changed. Try again, or restart Sayso.');
  }
  if (!result.ok) return result;
  const value = bridge[method].output.safeParse(result.value);
  if (!value.success) {
    return failure(
      'The main process gave an answer that this window does not understand.',
      'Restart Sayso: the window and the main process may be of different versions.',
    );
  }
  return { ok: true, value: value.data } as BridgeResult<M>;
}

function failure(message: string, remedy: string): { readonly ok: false; readonly error: BridgeError } {
  return { ok: false, error: { code: 'failed', message, remedy } };
}
