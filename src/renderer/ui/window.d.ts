import type { SaysoBridge } from '@shared/bridge';

declare global {
  interface Window {
    readonly sayso: SaysoBridge;
  }
}
