import { expect, test } from 'vitest';
import { readYaml } from '../../../src/main/agents/read-yaml';
import { AgentFile } from '../../../src/shared/agent-file';

/** The problems of an agent file as one line each: place and words. */
function problems(text: string): string[] {
  const result = readYaml(text, AgentFile);
  return result.ok ? [] : result.problems.map(({ line, column, message }) => `${line}:${column} ${message}`);
}

const broken: readonly (readonly [string, string, readonly string[]])[] = [
  ['a missing name', 'description: x\n', ['1:1 "name" is missing']],
  ['an unknown key, with the nearest one', 'name: a\npromt: x\n', ['2:1 unknown key "promt": did you mean "prompt"?']],
  [
    'an unknown key in a section',
    'name: a\nlimits:\n  maxTurns: 3\n  max_tokens: 5\n',
    ['4:3 unknown key "limits.max_tokens": did you mean "maxTokens"?'],
  ],
  [
    'an unknown key that is near no other',
    'name: a\nlimits: { maxTurns: 3, qqqqqqqq: 1 }\n',
    ['2:24 unknown key "limits.qqqqqqqq"'],
  ],
  ['a wrong type', 'name: a\ncomputer: "yes"\n', ['2:11 computer: expected true or false, but this is "yes"']],
  [
    'the yes of an older YAML',
    'name: a\nharness:\n  human_in_the_loop:\n    enabled: yes\n',
    ['4:14 harness.human_in_the_loop.enabled: expected true or false, but this is "yes"'],
  ],
  [
    'an unknown value',
    'name: a\nguardrails:\n  approvalMode: never\n',
    ['3:17 guardrails.approvalMode: expected one of auto, ask, readonly, but this is "never"'],
  ],
  [
    'a duration without a unit',
    'name: a\nguardrails: { approvalTimeout: 120 }\n',
    ['2:32 guardrails.approvalTimeout: "120" is no duration: write 90s, 5m or 1h'],
  ],
  [
    'a duration that is none',
    'name: a\nlimits:\n  toolTimeout: 5 minutes\n',
    ['3:16 limits.toolTimeout: "5 minutes" is no duration: write 90s, 5m or 1h'],
  ],
  [
    'a duration out of its bounds',
    'name: a\nguardrails:\n  approvalTimeout: 25h\n',
    ['3:20 guardrails.approvalTimeout: "25h" is outside 5s to 86400s'],
  ],
  ['a number out of its bounds', 'name: a\nlimits: { maxTurns: 0 }\n', ['2:21 limits.maxTurns: too small: at least 1']],
  [
    'a number that is not whole',
    'name: a\nlimits: { maxTurns: 1.5 }\n',
    ['2:21 limits.maxTurns: expected a whole number, but this is 1.5'],
  ],
  [
    'a name that is none',
    'name: My Agent\n',
    ['1:7 name: write lower-case letters, digits and dashes, starting with a letter or a digit'],
  ],
  ['a name that is too long', `name: ${'a'.repeat(65)}\n`, ['1:7 name: longer than 64 characters']],
  [
    'a section left empty',
    'name: a\nlimits:\ncomputer: true\n',
    ['2:1 limits: expected keys and values, but nothing is there'],
  ],
  [
    'a list where a section belongs',
    'name: a\nharness:\n  - x\n',
    ['3:3 harness: expected keys and values, but this is a list'],
  ],
  [
    'a credential of the app that is passed on',
    'name: a\nenvironment:\n  pass: [HOME, ANTHROPIC_API_KEY]\n',
    ['3:16 environment.pass[1]: ANTHROPIC_API_KEY holds a credential of this app and never reaches a command'],
  ],
  [
    'a credential of the app that is set',
    'name: a\nenvironment:\n  set:\n    CI: "1"\n    anthropic_auth_token: x\n',
    [
      '5:5 environment.set.anthropic_auth_token: anthropic_auth_token holds a credential of this app and never reaches a command',
    ],
  ],
  [
    'a value that has to be in quotes',
    'name: a\nenvironment: { set: { CI: 1 } }\n',
    ['2:27 environment.set.CI: expected text, but this is 1'],
  ],
  [
    'an MCP server that is nowhere, or in two places, or named twice, or would be sent a password',
    'name: a\nmcp:\n  - name: x\n  - name: x\n    command: [a]\n    url: https://a\n  - {name: y, url: "https://u:p@a"}\n',
    [
      '3:5 mcp[0]: add `command: [program, argument]` or `url:`',
      '4:11 mcp[1].name: another server is named "x" already',
      '6:10 mcp[1].url: a server has a command or a url: remove one',
      '7:20 mcp[2].url: holds a user name or a password: no credentials are sent to a server',
    ],
  ],
  [
    'an MCP server with a name that no tool can have',
    'name: a\nmcp:\n  - {name: A_b, command: []}\n',
    [
      '3:12 mcp[0].name: write lower-case letters, digits and dashes',
      '3:26 mcp[0].command: is empty: write the program and its arguments, one item each',
    ],
  ],
  [
    'an application that is neither of the two',
    'name: a\napplications:\n  - path: depot\n    manifest: ./x.tools.yaml\n  - {}\n',
    [
      '3:5 applications[0]: write either `path: PROGRAM` for a Fisk application or `manifest: ./NAME.tools.yaml`',
      '5:5 applications[1]: write either `path: PROGRAM` for a Fisk application or `manifest: ./NAME.tools.yaml`',
    ],
  ],
  [
    'applications that are no list',
    'name: a\napplications: depot\n',
    ['2:15 applications: expected a list, but this is "depot"'],
  ],
  [
    'a key of an application that is misspelled',
    'name: a\napplications:\n  - manifests: ./git.tools.yaml\n',
    [
      '3:5 unknown key "applications[0].manifests": did you mean "manifest"?',
      '3:5 applications[0]: write either `path: PROGRAM` for a Fisk application or `manifest: ./NAME.tools.yaml`',
    ],
  ],
  [
    'a pattern that is none',
    'name: a\ninclude:\n  tools: ["^a", "("]\n',
    [expect.stringMatching(/^3:17 include\.tools\[1\]: "\(": not a regular expression/)],
  ],
  [
    'a pattern that could hang',
    'name: a\nexclude: { tools: ["(a+)+$"] }\n',
    ['2:20 exclude.tools[0]: "(a+)+$": repeats something that itself repeats or has alternatives'],
  ],
  [
    'a selection that is a list',
    'name: a\ninclude: ["^parcel_"]\n',
    ['2:10 include: expected keys and values, but this is a list'],
  ],
  [
    'global flags that are no list',
    'name: a\nglobal_flags: context\n',
    ['2:15 global_flags: expected a list, but this is "context"'],
  ],
  [
    'http_request that is neither on nor off',
    'name: a\nhttp: maybe\n',
    ['2:7 http: expected true or false, but this is "maybe"'],
  ],
  [
    'hosts that are no hosts',
    'name: a\nprivate_hosts: [LOCALHOST, "127.1", "a.example:0", "*.example", "::1", "a@b", "http://a.example", "a.example."]\n',
    [
      '2:17 private_hosts[0]: "LOCALHOST": write it as "localhost"',
      '2:28 private_hosts[1]: "127.1": write it as "127.0.0.1"',
      '2:37 private_hosts[2]: "a.example:0": the port is no number from 1 to 65535',
      ...['*.example', '::1', 'a@b', 'http://a.example', 'a.example.'].map((host, index) =>
        expect.stringContaining(`private_hosts[${index + 3}]: "${host}": write NAME or NAME:PORT`),
      ),
    ],
  ],
  [
    'a list of hosts with what is no host, and without quotes',
    'name: a\nsandbox:\n  network: [a.example, "https://b.example", "*.com"]\n',
    [
      '3:24 sandbox.network[1]: "https://b.example": write NAME, *.NAME or an address, each with :PORT or without; no scheme, no path and no range of addresses',
      '3:45 sandbox.network[2]: "*.com": write *.NAME with a dot in NAME, such as *.example.com',
    ],
  ],
  [
    'a scripted agent without its script',
    'name: a\nprovider: scripted\n',
    ['2:11 provider: scripted needs a script: add `script: ./NAME.script.yaml`'],
  ],
  [
    'a script without a scripted agent',
    'name: a\nscript: ./a.script.yaml\n',
    ['2:9 script: only `provider: scripted` plays a script: remove it, or set the provider'],
  ],
  [
    'thinking without room for it',
    'name: a\nthinking: true\nlimits:\n  maxOutputTokens: 1024\n',
    ['4:20 limits.maxOutputTokens: thinking needs more than 1024 output tokens'],
  ],
  [
    'several at once, in their order',
    'computer: 3\nname: a\nfoo: 1\nlimits: { maxTurns: x }\n',
    [
      '1:11 computer: expected true or false, but this is 3',
      '3:1 unknown key "foo"',
      '4:21 limits.maxTurns: expected a number, but this is "x"',
    ],
  ],
  [
    'a key that is there twice',
    'name: a\ncomputer: true\nname: b\n',
    ['3:1 this key is there twice: remove one of the two'],
  ],
  ['a tab', 'name: a\nlimits:\n\tmaxTurns: 3\n', ['3:1 tabs cannot indent in YAML: use spaces']],
  [
    'a colon in plain text',
    'name: a\ndescription: careful: very\n',
    ['2:14 two keys on one line, or a line indented by mistake: put text that holds ": " in quotes'],
  ],
  ['a quote that is not closed', 'name: "a\n', ['2:1 YAML: Missing closing "quote']],
  ['a tag', 'name: !secret a\n', ['1:7 tags such as !name are not allowed here']],
  [
    'an alias that names nothing',
    'name: *other\n',
    ['1:7 this alias names nothing before it; put quotes around a text that begins with *'],
  ],
  ['a second document', 'name: a\n---\nname: b\n', ['2:1 more than one YAML document: one file describes one thing']],
  ['an empty file', '', ['1:1 the file is empty']],
  ['a file with nothing but comments', '# name: a\n', ['1:1 the file is empty']],
  ['a file that is a list', '# x\n- name: a\n', ['2:1 expected keys and values, but this is a list']],
];

test.each(broken)('%s is an error at its place', (_, text, expected) => {
  expect(problems(text)).toEqual(expected);
});

test('aliases that multiply are refused before they fill the memory', () => {
  const lines = ['a0: &a0 [x, x, x, x, x, x, x, x, x]'];
  for (let level = 1; level < 9; level += 1) {
    lines.push(`a${level}: &a${level} [${Array.from({ length: 9 }, () => `*a${level - 1}`).join(', ')}]`);
  }
  expect(problems(lines.join('\n'))).toEqual(['1:1 too many aliases']);
});

test('nesting without end is refused', () => {
  expect(problems('['.repeat(100_000))).toEqual([expect.stringMatching(/^1:\d+ nested too deeply$/)]);
  // Where the stack ends in the middle of a regular expression, V8 ends the process: none of these may come so far.
  for (const levels of [101, 1_500, 6_000]) {
    const blocks = Array.from({ length: 2 * levels }, (_, level) => `${' '.repeat(level)}a:`);
    for (const text of [
      '['.repeat(levels) + ']'.repeat(levels),
      '{a: '.repeat(levels),
      '- '.repeat(levels),
      blocks.join('\n'),
    ]) {
      expect(problems(text)).toEqual([expect.stringMatching(/^\d+:\d+ nested too deeply$/)]);
    }
  }
});

test('nesting by aliases is refused as well', () => {
  const nest = (inside: string) => `${'['.repeat(90)}${inside}${']'.repeat(90)}`;
  const lines = Array.from(
    { length: 4 },
    (_, level) => `a${level}: &a${level} ${nest(level === 0 ? 'x' : `*a${level - 1}`)}`,
  );
  expect(problems(lines.join('\n'))).toEqual(['1:1 nested too deeply']);
});

test('a problem behind an alias is shown where the alias leads', () => {
  expect(problems('name: a\nenvironment: &e { pass: [1] }\nlimits: *e\n')).toEqual([
    '2:19 unknown key "limits.pass"',
    '2:26 environment.pass[0]: expected text, but this is 1',
  ]);
});

test('the smallest agent file has the defaults of the reference', () => {
  const result = readYaml('name: a\n', AgentFile);
  expect(result.ok && result.value).toMatchObject({
    name: 'a',
    description: '',
    provider: 'anthropic',
    thinking: false,
    prompt: '',
    computer: true,
    http: false,
    applications: [],
    include: { tools: [], tags: [] },
    exclude: { tools: [], tags: [] },
    global_flags: [],
    harness: { human_in_the_loop: { enabled: false }, confirm_tags: [] },
    guardrails: { approvalMode: 'ask', approvalTimeout: 120_000 },
    limits: {
      maxTurns: 50,
      maxTokens: 500_000,
      callTimeout: 120_000,
      toolTimeout: 300_000,
      maxOutputTokens: 8_192,
    },
    environment: { pass: [], set: {} },
  });
});

test('every key of this version is read', () => {
  const text = `
name: changelog
description: Keeps the changelog honest
provider: anthropic
model: claude-sonnet-5-5
thinking: true
prompt: |
  You keep CHANGELOG.md
  in step.
workspace: ~/src/app
computer: false
http: true
private_hosts: [localhost:3000, 10.0.0.7, "[fd00::1]:80"]
harness:
  human_in_the_loop: { enabled: true }
  confirm_tags: ["impact:rw"]
guardrails:
  approvalMode: readonly
  approvalTimeout: 5s
limits: { maxTurns: 5, maxTokens: 5000, maxCostUsd: 0.5, callTimeout: 90s, toolTimeout: 1h, maxOutputTokens: 2048 }
environment: { pass: [GIT_AUTHOR_NAME], set: { CI: "1" } }
`;
  const result = readYaml(text, AgentFile);
  expect(result.ok && result.value).toMatchObject({
    prompt: 'You keep CHANGELOG.md\nin step.\n',
    http: true,
    private_hosts: [
      { host: 'localhost', port: 3000 },
      { host: '10.0.0.7', port: null },
      { host: '[fd00::1]', port: 80 },
    ],
    harness: { human_in_the_loop: { enabled: true }, confirm_tags: ['impact:rw'] },
    guardrails: { approvalMode: 'readonly', approvalTimeout: 5_000 },
    limits: { maxCostUsd: 0.5, callTimeout: 90_000, toolTimeout: 3_600_000 },
    environment: { pass: ['GIT_AUTHOR_NAME'], set: { CI: '1' } },
  });
});
