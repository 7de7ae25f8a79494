import { ToolError } from '../tool';

/** In characters. Servers take less, and an operator has to read it. */
const MAX_URL_LENGTH = 8_192;

/**
 * Reads a URL that a model wrote. What comes out is what is shown and what is sent: without a fragment, and with
 * everything that is not ASCII percent-encoded. Its host has to be written the one way that it is meant, so that
 * `0x7f.1`, `%31`, full-width digits or a Cyrillic letter cannot stand for what nobody sees.
 * @throws ToolError that says what is wrong
 */
export function parseUrl(text: string): URL {
  if (text.length > MAX_URL_LENGTH) throw new ToolError(`The URL is longer than ${MAX_URL_LENGTH} characters.`);
  // The URL standard drops some of these and takes a backslash for a slash.
  if (/[\\\p{C}\p{Z}]/u.test(text)) {
    throw new ToolError('The URL holds a space, a backslash or an invisible character: write them percent-encoded.');
  }
  const [, scheme, authority] = /^([a-z][a-z0-9+.-]*):\/\/([^/?#]*)/i.exec(text) ?? [];
  if (scheme === undefined || authority === undefined || !/^https?$/i.test(scheme)) {
    throw new ToolError('The URL has to begin with http:// or https://.');
  }
  if (authority.includes('@')) {
    throw new ToolError('The URL holds a user name or a password: no credentials are sent.');
  }
  const url = absolute(text);
  if (url === null) throw new ToolError('This is not a URL: its host or port cannot be read.');
  if (authority.replace(/:\d*$/, '').toLowerCase() !== url.hostname) {
    throw new ToolError(`The host is not written plainly: it means ${url.hostname}. Write that, if it is meant.`);
  }
  url.hash = '';
  return url;
}

/** Where a redirect leads; null where that is no URL. */
export function parseLocation(location: string, from: URL): URL | null {
  const url = absolute(location, from);
  if (url !== null) url.hash = '';
  return url;
}

function absolute(text: string, base?: URL): URL | null {
  try {
    return new URL(text, base);
  } catch {
    return null;
  }
}
