import { z } from 'zod';

/** More hosts than anyone reads before they trust an agent with them. */
const MAX_HOSTS = 50;
const MAX_PORT = 65_535;

/** A host that the web tools may reach although it is not on the public internet. */
export interface AllowedHost {
  /** As the URL standard writes it: lower case, IPv6 addresses in brackets. */
  readonly host: string;
  /** null: the ports of http and https, 80 and 443. */
  readonly port: number | null;
}

/** `name` or `name:port`: exactly one host, no pattern. */
const PrivateHost = z.string().transform((text, context): AllowedHost => {
  const { host = '', port } = /^(?<host>\[[^\]]*\]|[^:]*)(?::(?<port>\d+))?$/.exec(text)?.groups ?? {};
  const problem = hostProblem(host) ?? (port === undefined ? null : portProblem(port));
  if (problem !== null) context.addIssue({ code: 'custom', message: `"${text.slice(0, 80)}": ${problem}` });
  return { host, port: port === undefined ? null : Number(port) };
});

/** The key `private_hosts` of an agent file. */
export const PrivateHosts = z.array(PrivateHost).max(MAX_HOSTS).default([]);

function hostProblem(host: string): string | null {
  const meant = /^[\w.:[\]-]+$/.test(host) ? hostOf(`http://${host}/`) : null;
  if (meant === null || meant.endsWith('.')) {
    return 'write NAME or NAME:PORT, with a host name, an IPv4 address, or an IPv6 address in brackets';
  }
  // What the file says is what is compared: a second spelling would be a host that nobody meant, or no host at all.
  return meant === host ? null : `write it as "${meant}"`;
}

/** The host of a URL as the URL standard writes it; null where the text is no URL. */
function hostOf(url: string): string | null {
  try {
    return new URL(url).hostname;
  } catch {
    return null;
  }
}

function portProblem(port: string): string | null {
  return /^[1-9]\d{0,4}$/.test(port) && Number(port) <= MAX_PORT ? null : `the port is no number from 1 to ${MAX_PORT}`;
}
