import { describe, expect, it } from 'vitest';
import { childEnvironment } from '../../../src/main/sandbox/environment';
import { NEVER_PASSED } from '../../../src/shared/agent-file';
import { run } from './helpers';

const BASE = { PATH: '/usr/bin:/bin', HOME: '/home/a', LANG: 'de_DE.UTF-8', LC_TIME: 'C', TZ: 'UTC' };
const SECRETS = Object.fromEntries(
  Array.from({ length: 40 }, (_, i) => [`${['GITHUB', 'AWS', 'NPM', 'DB'][i % 4]}_${i}_TOKEN`, `secret-${i}`]),
);
const CREDENTIALS = Object.fromEntries(NEVER_PASSED.map((name) => [name, 'secret-key']));
const APP = { ...BASE, ...SECRETS, ...CREDENTIALS, SSH_AUTH_SOCK: '/run/secret', ELECTRON_RUN_AS_NODE: '1' };

const build = (given: Partial<Parameters<typeof childEnvironment>[0]> = {}) =>
  childEnvironment({ app: APP, pass: [], set: {}, platform: 'linux', ...given });

describe('the environment of a command', () => {
  it('is the allow-list and the two variables of Sayso', () => {
    expect(build()).toEqual({ ...BASE, LLMFORMAT: '1', SAYSO: '1' });
  });

  it('passes and sets what the agent file names', () => {
    const environment = build({ pass: ['AWS_1_TOKEN', 'NOT_THERE'], set: { CI: '1', LANG: 'C' } });
    expect(environment).toEqual({ ...BASE, AWS_1_TOKEN: 'secret-1', CI: '1', LANG: 'C', LLMFORMAT: '1', SAYSO: '1' });
  });

  it.each([...NEVER_PASSED])('refuses an agent file that names %s', (name) => {
    expect(() => build({ pass: [name] })).toThrow(name);
    expect(() => build({ set: { [name]: 'x' } })).toThrow(name);
    expect(() => build({ pass: [name.toLowerCase()] })).toThrow('credential');
  });

  it('keeps its own two variables whatever the agent file sets', () => {
    expect(build({ set: { SAYSO: '0', LLMFORMAT: '' } })).toMatchObject({ SAYSO: '1', LLMFORMAT: '1' });
  });

  it('folds the case of names on Windows, and only there', () => {
    const app = { Path: 'C:\\bin', SYSTEMROOT: 'C:\\Windows', anthropic_api_key: 'secret', Secret: 'x' };
    expect(build({ app, platform: 'win32', set: { PATH: 'D:\\bin' } })).toEqual({
      PATH: 'D:\\bin',
      SYSTEMROOT: 'C:\\Windows',
      LLMFORMAT: '1',
      SAYSO: '1',
    });
    expect(build({ app, platform: 'linux' })).toEqual({ LLMFORMAT: '1', SAYSO: '1' });
  });
});

describe('a real child', () => {
  it('sees none of the credentials and secrets of the app, and one marker more than it was given', async () => {
    const before = { ...process.env };
    Object.assign(process.env, SECRETS, CREDENTIALS, { NODE_V8_COVERAGE: '/tmp/secret' });
    try {
      const environment = build({ app: process.env });
      const { output } = await run(['env', '-0'], { environment });
      const seen = Object.fromEntries(
        output
          .split('\0')
          .filter(Boolean)
          .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
      );
      expect(output).not.toContain('secret');
      expect(Object.keys(seen).sort()).toEqual([...Object.keys(environment), 'SAYSO_CALL'].sort());
      expect(seen).toMatchObject(environment);
    } finally {
      for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name];
      Object.assign(process.env, before);
    }
  });
});
