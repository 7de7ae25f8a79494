import type { HostList } from '../policy';

/** In the sandbox's own network, where nobody else listens. */
export const PROXY_PORT = 3_128;

/** The sandbox's own servers, which are reached directly. */
const OWN = ['localhost', '127.0.0.1', '[::1]'];

/** What programs look for a proxy in. In any case of letters: some look only for small ones. */
const NAMES = /^(?:(?:https?|all|ftp|no)_proxy|node_use_env_proxy)$/i;

/**
 * A command's environment with the proxy in it, whatever was said of one before. `NO_PROXY` names what the sandbox itself
 * is called, unless the list means this machine by it.
 */
export function proxyEnvironment(
  environment: Readonly<Record<string, string>>,
  { hosts }: HostList,
): Record<string, string> {
  const proxy = `http://127.0.0.1:${PROXY_PORT}`;
  const isListed = hosts.some(({ host }) => OWN.includes(host));
  const direct = isListed ? '' : OWN.map((host) => host.replace(/[[\]]/g, '')).join(',');
  const given = { HTTP_PROXY: proxy, HTTPS_PROXY: proxy, ALL_PROXY: proxy, NO_PROXY: direct };
  return {
    ...Object.fromEntries(Object.entries(environment).filter(([name]) => !NAMES.test(name))),
    ...given,
    ...Object.fromEntries(Object.entries(given).map(([name, value]) => [name.toLowerCase(), value])),
    // Node's own fetch and http, where it is new enough to know of it.
    NODE_USE_ENV_PROXY: '1',
  };
}
