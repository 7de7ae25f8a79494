import { readFile } from 'node:fs/promises';
import { extname, join, normalize, sep } from 'node:path';
import { protocol } from 'electron';

/** The window's own origin. Nothing else is ever loaded, and nothing else may use the bridge. */
export const APP_ORIGIN = 'app://sayso';
export const APP_PAGE = `${APP_ORIGIN}/index.html`;

/** No script but our own files, no network at all: what a model writes is text, never code and never an address. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "font-src 'self'",
  "img-src 'self'",
  "connect-src 'none'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.woff2': 'font/woff2',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
};

/** Must be called before the app is ready. */
export function registerAppScheme(): void {
  protocol.registerSchemesAsPrivileged([{ scheme: 'app', privileges: { standard: true, secure: true } }]);
}

/** Serves the built renderer under app://sayso, and refuses everything else. */
export function serveApp(rendererFolder: string): void {
  protocol.handle('app', async (request) => {
    const { host, pathname } = new URL(request.url);
    const type = TYPES[extname(pathname)];
    const file = fileInside(rendererFolder, pathname);
    if (request.method !== 'GET' || host !== 'sayso' || file === null || type === undefined) return refuse(404);
    try {
      return new Response(await readFile(file), {
        headers: {
          'Content-Type': type,
          'Content-Security-Policy': CONTENT_SECURITY_POLICY,
          'X-Content-Type-Options': 'nosniff',
        },
      });
    } catch {
      return refuse(404);
    }
  });
}

function fileInside(folder: string, pathname: string): string | null {
  let decoded: string;
  try {
    decoded = decodeURIComponent(pathname);
  } catch {
    return null;
  }
  if (decoded.includes('\0')) return null;
  const file = normalize(join(folder, decoded));
  return file.startsWith(folder + sep) ? file : null;
}

function refuse(status: number): Response {
  return new Response(null, { status });
}
