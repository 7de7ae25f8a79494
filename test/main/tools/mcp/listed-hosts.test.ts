import { realpathSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import { confine, DEFAULT_POLICY } from '../../../../src/main/sandbox/policy';
import { behaving, type Servers, startServersIn } from '../../../support/mcp';
import { confinable, makeTier } from '../../sandbox/confined';
import { until } from '../../sandbox/helpers';

let servers: Servers | null = null;
afterEach(() => servers?.close());

const network = { hosts: [{ host: 'own.example', port: null }], privateHosts: [] };
/** Where the server of the tests lies. */
const read = [realpathSync('test/support')];

async function asking(...hosts: string[]): Promise<string[]> {
  const sandbox = confine(
    await makeTier([], async () => ['127.0.0.1']),
    { ...DEFAULT_POLICY, network, read },
    { require: 'none', network: false, accept: [] },
  );
  const started = await startServersIn(sandbox, behaving('restless', ...hosts));
  servers = started;
  await until(() => started.notices.length > 1, 'it is told of');
  return started.notices.filter(({ level }) => level !== 'info').map(({ level, text }) => `${level}: ${text}`);
}

describe.runIf(confinable)('a server with a list of hosts', () => {
  it('is told of where it wanted to go elsewhere, once for each place', async () => {
    expect(await asking('evil.example', 'evil.example', '127.0.0.1', 'own.example')).toEqual([
      'warning: The MCP server restless was refused evil.example:443: not among the hosts of the agent file (sandbox.network).',
    ]);
  });

  it('is told of a few times only', async () => {
    await asking(...Array.from({ length: 12 }, (_, index) => `h${index}.example`));
    await until(() => servers?.notices.at(-1)?.text.includes('nothing is said') === true, 'that was the last');
    expect(servers?.notices.filter(({ level }) => level === 'warning')).toHaveLength(5);
  });
});
