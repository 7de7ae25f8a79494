import { describe, expect, it } from 'vitest';
import { isNeverOpened, type Surroundings } from '../../../../src/main/sandbox/wider/never';

const around: Surroundings = {
  workspace: '/srv/work/ws',
  homes: ['/home/me'],
  own: ['/srv/sayso-data', '/home/me/apps/sayso', '/srv/agents/mine.yaml'],
  programs: ['/usr/bin', '/home/me/bin', '/srv/tools/bin'],
};

describe('what no answer opens', () => {
  it.each([
    ['the root', '/'],
    ['what lies directly below it', '/data'],
    ['a file directly below it', '/swapfile'],
    ['the home', '/home/me'],
    ['all homes', '/home'],
    ['another home', '/home/you/data'],
    ['the home of root', '/root/data'],
    ['the system', '/usr/lib/x'],
    ['the configuration of the system', '/etc/passwd'],
    ['the state of the system', '/var/lib/x'],
    ['processes', '/proc/self/environ'],
    ['the kernel', '/sys/kernel/x'],
    ['devices', '/dev/sda'],
    ['sockets', '/run/docker.sock'],
    ['what may be mounted by a look', '/net/evil.example/x'],
    ['homes of Windows', '/mnt/c/Users/me/Documents'],
    ['the data of Sayso', '/srv/sayso-data'],
    ['what is in it', '/srv/sayso-data/sayso.sqlite'],
    ['what holds it', '/srv'],
    ['the program of Sayso', '/home/me/apps/sayso/out/main.js'],
    ['an agent file', '/srv/agents/mine.yaml'],
    ['the folder of an agent file', '/srv/agents'],
    ['the workspace', '/srv/work/ws'],
    ['what is in it', '/srv/work/ws/.git/hooks'],
    ['what holds it', '/srv/work'],
    ['ssh', '/home/me/.ssh'],
    ['a key', '/home/me/.ssh/id_ed25519'],
    ['a key elsewhere', '/srv/data/id_rsa'],
    ['a certificate’s key', '/srv/data/tls/server.key'],
    ['a hidden folder of the home', '/home/me/.config/gh/hosts.yml'],
    ['a hidden file of the home', '/home/me/.bashrc'],
    ['the library of a Mac', '/home/me/Library/Keychains'],
    ['variables', '/srv/app/.env'],
    ['variables by name', '/srv/app/.env.production'],
    ['cloud credentials', '/srv/deploy/.aws/config'],
    ['credentials by name', '/srv/deploy/credentials.json'],
    ['secrets by name', '/srv/deploy/client_secret.json'],
    ['the same in capitals', '/srv/deploy/ID_RSA'],
    ['state of terraform', '/srv/deploy/prod.tfstate'],
  ])('for reading: %s (%s)', (_name, path) => {
    expect(isNeverOpened(path, 'read', around)).toBe(true);
    expect(isNeverOpened(path, 'write', around)).toBe(true);
  });

  it.each([
    ['hooks of another repository', '/srv/other/.git/hooks/pre-commit'],
    ['anything hidden', '/srv/other/.cache/x'],
    ['a folder of programs', '/home/me/bin'],
    ['a program', '/srv/tools/bin/deploy'],
    ['what holds a folder of programs', '/srv/tools'],
    ['a tool of the home', '/home/me/.pyenv/versions/x'],
  ])('for writing: %s (%s)', (_name, path) => {
    expect(isNeverOpened(path, 'write', around)).toBe(true);
    expect(isNeverOpened(path, 'read', around)).toBe(false);
  });

  it.each([
    '/srv/data',
    '/srv/work/other',
    '/home/me/projects/other',
    '/mnt/disk/photos',
    '/tmp/build-1/x',
    '/srv/data/.env.example',
    '/srv/app/tokens.css',
    '/srv/app/keyboard.ts',
    '/srv/app/secretary.txt',
    '/data/set/readme',
  ])('%s can be', (path) => {
    expect(isNeverOpened(path, 'read', around)).toBe(false);
  });
});
