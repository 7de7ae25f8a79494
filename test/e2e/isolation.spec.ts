import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from '../support/app';

test('the page has no Node and no Electron', async ({ launch }) => {
  const { page, electron } = await launch();
  const names = ['require', 'process', 'module', 'Buffer', 'global', 'electron', 'ipcRenderer', '__dirname'];
  expect(await page.evaluate((all) => all.filter((name) => name in globalThis), names)).toEqual([]);
  const preferences = await electron.evaluate(({ BrowserWindow }) => {
    const { webContents } = BrowserWindow.getAllWindows()[0] ?? {};
    const read: unknown = webContents === undefined ? undefined : Reflect.get(webContents, 'getLastWebPreferences');
    return typeof read === 'function' ? read.call(webContents) : null;
  });
  expect(preferences).toMatchObject({
    contextIsolation: true,
    nodeIntegration: false,
    sandbox: true,
    webSecurity: true,
  });
});

test('no inline script runs, and no text becomes code', async ({ launch }) => {
  const { page } = await launch();
  await page.evaluate(() => {
    const script = document.createElement('script');
    script.textContent = 'globalThis.inlineRan = true';
    document.body.append(script);
    const holder = document.createElement('div');
    holder.innerHTML =
      '<img src="x" onerror="globalThis.handlerRan = true"><a href="javascript:globalThis.urlRan = true">x</a>';
    document.body.append(holder);
    holder.querySelector('a')?.click();
  });
  const evaluated = await page.evaluate(() => {
    // Both run as code of the page here, not as the test's own.
    const refused = (attempt: () => unknown) => {
      try {
        attempt();
        return false;
      } catch (error) {
        return error instanceof EvalError;
      }
    };
    return new Promise<boolean[]>((resolve) => {
      setTimeout(() => {
        const indirect: unknown = Reflect.get(globalThis, 'eval');
        resolve([
          refused(() => typeof indirect === 'function' && indirect('1')),
          refused(() => new Function('return 1')),
        ]);
      }, 0);
    });
  });
  expect(evaluated).toEqual([true, true]);
  const ran = await page.evaluate(() => ['inlineRan', 'handlerRan', 'urlRan'].filter((name) => name in globalThis));
  expect(ran).toEqual([]);
});

test('the page reaches no network, not even this machine', async ({ launch }) => {
  const hits: string[] = [];
  const server = createServer((request, response) => {
    hits.push(request.url ?? '');
    response.setHeader('Access-Control-Allow-Origin', '*').end('reached');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const base = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  try {
    const { page } = await launch();
    const reached = await page.evaluate(async (host) => {
      const settles = (element: HTMLElement) =>
        new Promise<boolean>((resolve) => {
          element.addEventListener('load', () => resolve(true));
          element.addEventListener('error', () => resolve(false));
          document.head.append(element);
        });
      const image = Object.assign(document.createElement('img'), { src: `http://${host}/image` });
      const script = Object.assign(document.createElement('script'), { src: `http://${host}/script` });
      const style = Object.assign(document.createElement('link'), { rel: 'stylesheet', href: `http://${host}/style` });
      const socket = new Promise<boolean>((resolve) => {
        try {
          const connection = new WebSocket(`ws://${host}/socket`);
          connection.addEventListener('open', () => resolve(true));
          connection.addEventListener('error', () => resolve(false));
        } catch {
          resolve(false);
        }
      });
      const fetched = fetch(`http://${host}/fetch`).then(
        () => true,
        () => false,
      );
      return Promise.all([fetched, settles(image), settles(script), settles(style), socket]);
    }, base);
    expect(reached).toEqual([false, false, false, false, false]);
    await page.evaluate((host) => navigator.sendBeacon(`http://${host}/beacon`, 'x'), base).catch(() => false);
    expect(hits).toEqual([]);
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});

test('the window goes nowhere else and opens no other window', async ({ launch }) => {
  const app = await launch();
  const { page } = app;
  const before = page.url();
  const opened = await page.evaluate(() => window.open('https://example.com/') === null);
  expect(opened).toBe(true);
  for (const address of [
    'https://example.com/',
    'data:text/html,elsewhere',
    'app://elsewhere/index.html',
    'file:///etc/hosts',
  ]) {
    await page.evaluate((to) => {
      const link = Object.assign(document.createElement('a'), { href: to });
      document.body.append(link);
      link.click();
      window.location.assign(to);
    }, address);
    // Whatever a refused navigation does, it has done by the time the main process answers.
    expect(
      await app.electron.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.webContents.getURL()),
    ).toBe(before);
    expect(page.url(), address).toBe(before);
  }
  expect(await app.windowCount()).toBe(1);
  // Playwright goes on waiting for the navigation that was refused, so the window is asked without it.
  await expect.poll(() => app.inWindow('document.querySelector("nav[aria-label=Sessions]") !== null')).toBe(true);
});

test('app:// serves the built renderer and nothing around it', async ({ launch }) => {
  const { electron } = await launch();
  const fetched = async (url: string) =>
    electron.evaluate(async ({ net }, address) => {
      const response = await net.fetch(address).catch(() => null);
      // Chromium itself sends nothing to an address that it takes for none.
      if (response === null) return { status: 404, text: '' };
      return { status: response.status, text: (await response.text()).slice(0, 200) };
    }, url);

  expect(await fetched('app://sayso/index.html')).toMatchObject({ status: 200 });
  const outside = [
    'app://sayso/../main/index.js',
    'app://sayso/..%2fmain%2findex.js',
    'app://sayso/%2e%2e/%2e%2e/package.json',
    'app://sayso/..%5cmain%5cindex.js',
    'app://sayso/assets/..%2f..%2fmain%2findex.js',
    'app://sayso//etc/passwd.html',
    'app://sayso/%00index.html',
    'app://sayso/%E0%A4',
    'app://elsewhere/index.html',
    'app://sayso/',
  ];
  for (const url of outside) expect(await fetched(url), url).toEqual({ status: 404, text: '' });
});
