import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { runs, says, scripted } from '../support/agents';
import { expect, test } from '../support/app';
import { consoleOf, openCard } from '../support/console';

/** Asks for each URL as the environment says: by its proxy. */
const ASKING = `
  const { hostname, port } = new URL(process.env.HTTP_PROXY);
  const get = (url) => new Promise((done) => require('http').get({ hostname, port, path: url, headers: { Host: new URL(url).host } }, (answer) => {
    let text = '';
    answer.on('data', (data) => { text += data; }).on('end', () => { console.log(answer.statusCode, text.trim()); done(); });
  }));
  (async () => { for (const url of process.argv.slice(2)) await get(url); })();`;

test('an agent with a list of hosts: the card names them, its commands reach them and no other', async ({
  launch,
  makeFolder,
}) => {
  const server = createServer((request, response) => response.end(`hello ${request.url}`));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  try {
    const own = `localhost:${port}`;
    const urls = [`http://${own}/a`, `http://127.0.0.1:${port}/b`, 'http://other.example/'];
    const agents = scripted('listed', [runs('node', 'ask.js', ...urls), says('Over.')], {
      private_hosts: [own],
      sandbox: { network: [own, '*.example.com'] },
    });
    const app = await launch({ agents });
    const ui = consoleOf(app.page);
    const sessionId = await app.start({
      agent: 'listed',
      prompt: 'Ask around',
      workspace: await makeFolder({ 'ask.js': ASKING }),
    });
    const { card, approve } = await openCard(ui.cards());
    await expect(card).toContainText('network: 2 hosts');
    await expect(card).toContainText(`${own}, *.example.com`);
    await approve.click();
    await app.reached(sessionId, 'completed');

    const [result] = app.journal.bodies(sessionId, 'call_result');
    const told = JSON.parse(result?.content ?? '{}');
    expect(told.output.split('\n')).toEqual([
      '200 hello /a',
      `403 Sayso: 127.0.0.1:${port} is not among the hosts that the agent file allows (sandbox.network).`,
      '403 Sayso: other.example:80 is not among the hosts that the agent file allows (sandbox.network).',
      '',
    ]);
    expect(told.sandbox_note).toBe(
      `Reached through the proxy: ${own}. The sandbox refused, as not among the hosts of the agent file (sandbox.network): 127.0.0.1:${port}, other.example:80.`,
    );
    await ui.open('Ask around');
    const call = ui.timeline.getByRole('article', { name: 'Call: run_command' });
    await call.getByRole('button', { name: 'run_command' }).click();
    await expect(call).toContainText(`Reached through the proxy: ${own}.`);
    await expect(call).toContainText('other.example:80');
    expect(app.journal.requests(sessionId)).toHaveLength(1);
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});
