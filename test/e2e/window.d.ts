import type { SaysoBridge } from '../../src/shared/bridge';

declare global {
  interface Window {
    readonly sayso: SaysoBridge;
  }
}
