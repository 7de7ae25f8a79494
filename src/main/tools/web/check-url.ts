import type { AllowedHost } from '@shared/agent-hosts';
import { hostProblem, isAllowed, type Place, refused, WEB_PORTS } from '../../network/host-rules';
import { ToolError } from '../tool';

/** Below it are the ports of other well-known services, which must not be spoken to in HTTP. */
const FIRST_FREE_PORT = 1_024;

export const placeOf = ({ hostname, port, protocol }: URL): Place => ({
  host: hostname,
  port: port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port),
});

/**
 * Checks, before any name is looked up, that a URL may be requested.
 * @throws ToolError that says why not
 */
export function checkUrl(url: URL, allowed: readonly AllowedHost[]): void {
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new ToolError(`${url.protocol} is not supported: only http: and https: are.`);
  }
  if (url.username !== '' || url.password !== '') {
    throw new ToolError('The URL holds a user name or a password: no credentials are sent.');
  }
  const place = placeOf(url);
  const problem = hostProblem(place, allowed);
  if (problem !== null) throw new ToolError(problem);
  const { port } = place;
  if (isAllowed(place, allowed) || WEB_PORTS.includes(port) || port >= FIRST_FREE_PORT) return;
  throw new ToolError(refused(place, `is asked for on port ${port}, which belongs to another service`));
}
