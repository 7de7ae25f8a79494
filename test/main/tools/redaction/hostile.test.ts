import { describe, expect, it } from 'vitest';
import { createRedactor } from '../../../../src/main/tools/redaction/redactor';
import { random } from './secrets';

const known = Array.from({ length: 40 }, (_, at) => ({ name: `S${at}`, value: random(`hostile ${at}`, 20 + at) }));
const redactor = createRedactor({ known });

const BEGIN = '-----BEGIN PRIVATE KEY-----';
const PIECES = [
  ' ',
  'a',
  '1',
  '\\',
  '\\n',
  '\\"',
  '\n',
  '\r\n',
  ' \n',
  '\x1b[',
  '\x1b[0',
  '\\u001b[',
  'http://',
  'http://a:',
  'http://aa:bb',
  'http://aa:bbbb@',
  'SG.',
  'SG.a.',
  `SG.a.${'a'.repeat(300)}! `,
  'mongodb://',
  'mongodb://a:a@b/c?',
  'postgres://a:b',
  'ghs_1_',
  `${'ghs_1_'.repeat(160)}.${'a'.repeat(9_999)}`,
  'xoxb-',
  `xoxb-a-${'a'.repeat(41)}`,
  BEGIN,
  `${BEGIN}\n`,
  `${BEGIN}\nAAAA\n`,
  `${BEGIN}\n${'A'.repeat(64)}\n`,
  '-----END PRIVATE KEY-----',
  `${'A'.repeat(64)}\n-----END PRIVATE KEY-----\n`,
  `${BEGIN}${'+'.repeat(200)}!`,
  '⟦removed: ',
  '⟦removed: GitHub token, 40 characters⟧',
  '[... 1 bytes missing ...]\n',
  '[... 1 bytes missing ...]\nA1b2C3d4E5f6g7H8i9J0',
  `eyJ${'a'.repeat(20)}.`,
  'eyJaaaaaaaaaaa.eyJaaaaaaaaaa.',
  'sk-ant-',
  'authorization: ',
  '_authToken=',
  'https://a:x-oauth-basic@',
  `ops_ey${'A'.repeat(1_280)}`,
  `glsa_${'A'.repeat(32)}_aaaaaaaa`,
  `dapi${'a'.repeat(32)}-1`,
  'hvs.',
  'figd_',
  'tskey-a',
  'AWS_SECRET_ACCESS_KEY=',
  'aws_secret_access_key\n\n\n\n',
  'session_token:        ',
  'abcdefghijklmnopqrstu+',
  '123456789:AA',
  'glpat-',
  known.map(({ value }) => value.slice(0, 10)).join(''),
  known[0]?.value ?? '',
];

/** Ten times what the slowest takes on a slow machine; what is quadratic in 64 KiB takes minutes. */
const LIMIT_MS = 5_000;

describe('a text made to keep the redactor busy', () => {
  it.each(PIECES)('is done in bounded time: %j', (piece) => {
    const text = piece.repeat(Math.ceil(65_536 / piece.length));
    const began = performance.now();
    redactor.redact(text);
    expect(performance.now() - began).toBeLessThan(LIMIT_MS);
  });
});
