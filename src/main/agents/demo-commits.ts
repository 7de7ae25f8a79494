/** The history of the demo's project: a countdown for the terminal, whose changelog stops at 0.2.0. */

export interface DemoCommit {
  readonly date: string;
  readonly message: string;
  /** Path to content; a later commit replaces what an earlier one wrote. */
  readonly files: Readonly<Record<string, string>>;
}

const packageJson = (version: string): string => `{
  "name": "teatime",
  "version": "${version}",
  "description": "A countdown for a cup of tea",
  "type": "module",
  "bin": { "teatime": "src/main.js" },
  "license": "MIT"
}
`;

const README = `# teatime

A countdown for a cup of tea, in the terminal.

    teatime green      two minutes
    teatime black      four minutes
`;

const DURATIONS = `export const minutes = { green: 2, black: 4 };
`;

const MAIN = `#!/usr/bin/env node
import { countDown } from './countdown.js';
import { minutes } from './durations.js';

const tea = process.argv[2] ?? 'black';
await countDown(minutes[tea] * 60);
console.log('Your tea is ready.');
`;

const MAIN_WITH_BELL = MAIN.replace("log('Your", "log('\\u0007Your");

const REFUSAL = `if (!(tea in minutes)) {
  console.error(\`teatime knows no \${tea} tea\`);
  process.exit(1);
}
`;

const COUNTDOWN = `import { setTimeout as wait } from 'node:timers/promises';

export async function countDown(seconds) {
  for (let left = seconds; left > 0; left -= 1) {
    process.stdout.write(\`\\r\${left} s \`);
    await wait(1000);
  }
}
`;

const CHANGELOG = `# Changelog

## 0.2.0

- A countdown shows the seconds that are left.

## 0.1.0

- First release: green and black tea.
`;

export const DEMO_COMMITS: readonly [DemoCommit, ...DemoCommit[]] = [
  {
    date: '2025-03-03T09:00:00Z',
    message: 'First release: green and black tea',
    files: {
      'README.md': README,
      'package.json': packageJson('0.1.0'),
      'src/durations.js': DURATIONS,
      'src/main.js': MAIN.replace("import { countDown } from './countdown.js';\n", ''),
      'CHANGELOG.md': '# Changelog\n\n## 0.1.0\n\n- First release: green and black tea.\n',
    },
  },
  {
    date: '2025-03-10T09:30:00Z',
    message: 'Show the seconds that are left',
    files: {
      'package.json': packageJson('0.2.0'),
      'src/countdown.js': COUNTDOWN,
      'src/main.js': MAIN,
      'CHANGELOG.md': CHANGELOG,
    },
  },
  {
    date: '2025-03-17T08:15:00Z',
    message: 'Add white tea and herbal tea',
    files: {
      'README.md': `${README}    teatime white      three minutes\n    teatime herbal     seven minutes\n`,
      'src/durations.js': 'export const minutes = { green: 2, white: 3, black: 4, herbal: 7 };\n',
    },
  },
  {
    date: '2025-03-21T16:40:00Z',
    message: 'Ring the bell when the tea is ready',
    files: { 'src/main.js': MAIN_WITH_BELL },
  },
  {
    date: '2025-03-24T10:05:00Z',
    message: 'Refuse a tea that nobody knows',
    files: {
      'package.json': packageJson('0.3.0'),
      'src/main.js': MAIN_WITH_BELL.replace('await countDown', `${REFUSAL}await countDown`),
    },
  },
];
