import { execFileSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { quoted } from '../../../src/main/sandbox/shell-words';
import { confinable, confined } from './confined';
import { tempFolder } from './helpers';

const HOSTILE = [
  '',
  ' ',
  '-n',
  'a b',
  "it's",
  "'",
  "''",
  '"',
  '\\',
  "\\'",
  '$HOME',
  '$(touch made)',
  '`touch made`',
  '*',
  '~',
  '!x',
  '#x',
  'a\nb\n',
  '\r\t',
  ';exit 3',
  '&& false',
  '</dev/null',
  '\u00e9\u{1f600}',
  '\u202e',
];

it.each(HOSTILE)('a shell is told the word %j as it is', (word) => {
  expect(execFileSync('/bin/sh', ['-c', `printf '%s' ${quoted(word)}`]).toString()).toBe(word);
});

const look = `const fs = require('fs');
  const open = fs.readdirSync('/proc/self/fd').map(Number).filter((fd) => fs.existsSync('/proc/self/fd/' + fd) && fd < 3);
  const env = Object.keys(process.env).filter((name) => !['PATH', 'HOME', 'TMPDIR', 'PWD', 'SAYSO_CALL'].includes(name));
  process.stdout.write(JSON.stringify([process.argv.slice(2), fs.readFileSync(0).length, open, env, process.cwd()]))`;

describe.runIf(confinable)('a command in the sandbox', () => {
  it('has each of its words as it is, nothing to read, its three descriptors, and no environment but its own', async () => {
    const workspace = await tempFolder();
    await writeFile(join(workspace, 'look.cjs'), look);
    const { output } = await confined(['node', 'look.cjs', ...HOSTILE], { workspace });
    expect(JSON.parse(output)).toEqual([HOSTILE, 0, [0, 1, 2], [], workspace]);
  });
});
