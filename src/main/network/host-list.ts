import type { AllowedHost } from '@shared/agent-hosts';
import { isAllowed, type Place } from './host-rules';

/** Whether a place stands in a list in which `*.name` means every name below that one. */
export function isListed(place: Place, hosts: readonly AllowedHost[]): boolean {
  return hosts.some(({ host, port }) => {
    const isMeant = host.startsWith('*.') ? isBelow(place.host, host.slice(1)) : place.host === host;
    return isMeant && isAllowed(place, [{ host: place.host, port }]);
  });
}

const isBelow = (host: string, ending: string): boolean => host.endsWith(ending) && host.length > ending.length;

/** An entry as it is written in an agent file. */
export const entryText = ({ host, port }: AllowedHost): string => (port === null ? host : `${host}:${port}`);
