import type { Page } from '@playwright/test';
import type { BridgeInput, BridgeMethod, BridgeOutput, BridgeResult } from '../../src/shared/bridge';

type RawBridge = Readonly<Record<string, (...args: unknown[]) => Promise<unknown>>>;

/** Calls a method of window.sayso with anything at all, right or wrong. */
export function callRaw(page: Page, method: string, args: readonly unknown[]): Promise<BridgeResult<BridgeMethod>> {
  return page.evaluate(
    ([name, given]) => {
      const { sayso } = globalThis as unknown as { readonly sayso: RawBridge };
      return sayso[name]?.(...given);
    },
    [method, [...args]] as const,
  ) as Promise<BridgeResult<BridgeMethod>>;
}

/** Calls a method of window.sayso. */
export function call<M extends BridgeMethod>(page: Page, method: M, input: BridgeInput<M>): Promise<BridgeResult<M>> {
  return callRaw(page, method, [input]) as Promise<BridgeResult<M>>;
}

/**
 * The same where it has to work.
 * @throws Error with the bridge's own words where it does not
 */
export async function ask<M extends BridgeMethod>(
  page: Page,
  method: M,
  input: BridgeInput<M>,
): Promise<BridgeOutput<M>> {
  const result = await call(page, method, input);
  if (result.ok) return result.value;
  throw new Error(`${method}: ${result.error.code}: ${result.error.message} ${result.error.remedy ?? ''}`);
}
