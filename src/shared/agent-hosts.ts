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
  const { entry, problem } = readEntry(text, hostProblem);
  if (problem !== null) context.addIssue({ code: 'custom', message: problem });
  return entry;
});

/** The key `private_hosts` of an agent file. */
export const PrivateHosts = z.array(PrivateHost).max(MAX_HOSTS).default([]);

/**
 * The key `sandbox.network` of an agent file: all of the network, none, or the hosts of a list. Beside what `PrivateHost`
 * takes, the host of an entry can be `*.name`, which means every name below that one and not that one itself.
 */
export const NetworkHosts = z
  .union([z.boolean(), z.array(z.string())], 'write true, false or a list of hosts')
  .transform((value, context): boolean | readonly AllowedHost[] => {
    if (typeof value === 'boolean') return value;
    if (value.length > MAX_HOSTS) context.addIssue({ code: 'custom', message: `more than ${MAX_HOSTS} hosts` });
    const entries = value.slice(0, MAX_HOSTS).map((text, index) => {
      const { entry, problem } = readEntry(text, patternProblem);
      if (problem !== null) context.addIssue({ code: 'custom', message: problem, path: [index] });
      return entry;
    });
    return entries.length === 0 ? false : entries;
  })
  .default(false);

function readEntry(text: string, problemOf: (host: string) => string | null) {
  const { host = '', port } = /^(?<host>\[[^\]]*\]|[^:]*)(?::(?<port>\d+))?$/.exec(text)?.groups ?? {};
  const problem = problemOf(host) ?? (port === undefined ? null : portProblem(port));
  return {
    entry: { host, port: port === undefined ? null : Number(port) },
    problem: problem === null ? null : `"${text.slice(0, 80)}": ${problem}`,
  };
}

const HOST_FORM = 'write NAME or NAME:PORT, with a host name, an IPv4 address, or an IPv6 address in brackets';
const PATTERN_FORM =
  'write NAME, *.NAME or an address, each with :PORT or without; no scheme, no path and no range of addresses';

function patternProblem(host: string): string | null {
  if (!host.startsWith('*')) {
    const problem = hostProblem(host);
    return problem === HOST_FORM ? PATTERN_FORM : problem;
  }
  const above = host.startsWith('*.') ? host.slice(2) : '';
  if (!above.includes('.')) return 'write *.NAME with a dot in NAME, such as *.example.com';
  const problem = hostProblem(above);
  if (problem !== null) return problem;
  return /[a-z]/.test(above.slice(above.lastIndexOf('.'))) ? null : 'there is nothing below an address';
}

function hostProblem(host: string): string | null {
  const meant = /^[\w.:[\]-]+$/.test(host) ? hostOf(`http://${host}/`) : null;
  if (meant === null || meant.endsWith('.')) {
    return HOST_FORM;
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
