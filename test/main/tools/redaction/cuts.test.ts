import { describe, expect, it } from 'vitest';
import { OutputCapture } from '../../../../src/main/sandbox/capture';
import { createRedactor } from '../../../../src/main/tools/redaction/redactor';
import { privateKey, random, SHAPES } from './secrets';

const value = `${random('cut', 40)} and "words"`;
const redactor = createRedactor({ known: [{ name: 'value of MY_TOKEN', value }] });

/** What is kept of a long output with this text around one of the two cuts. */
function captured(secret: string, cut: 'head' | 'tail', kept: number): string {
  const capture = new OutputCapture();
  const filler = (length: number): string => 'ok ok ok\n'.repeat(length).slice(0, length);
  if (cut === 'head') {
    capture.push(Buffer.from(filler(32_768 - kept)));
    capture.push(Buffer.from(`${secret}${filler(200_000)}`));
  } else {
    capture.push(Buffer.from(filler(200_000)));
    capture.push(Buffer.from(secret + filler(32_768 - kept)));
  }
  return capture.result().text;
}

describe('at the cut in a long output', () => {
  const forms: readonly (readonly [string, (text: string) => string])[] = [
    ['as it is', (text) => text],
    ['in JSON', (text) => JSON.stringify({ output: text })],
  ];
  for (const [how, form] of forms) {
    it(`no part of a known value is left beyond three characters, ${how}`, () => {
      for (let kept = 1; kept < value.length; kept++) {
        const head = redactor.redact(form(captured(value, 'head', kept))).text;
        const tail = redactor.redact(form(captured(value, 'tail', kept))).text;
        if (kept < 4) continue;
        expect(head).not.toContain(
          value.slice(Math.max(0, kept - 4), kept).replaceAll('"', form === forms[1]?.[1] ? '\\"' : '"'),
        );
        expect(tail).not.toContain(
          value
            .slice(-kept)
            .slice(0, 4)
            .replaceAll('"', form === forms[1]?.[1] ? '\\"' : '"'),
        );
      }
    });

    // The beginning of a link to Slack is no half of a credential.
    it.each(SHAPES.filter(([, secret]) => !secret.startsWith('https')))(
      `no half of a credential is left, ${how}: %s`,
      (_, secret) => {
        for (const kept of [16, 24, secret.length - 4].filter((length) => length < secret.length)) {
          const head = redactor.redact(form(captured(secret, 'head', kept))).text;
          expect(head).not.toContain(secret.slice(kept - 12, kept));
          const tail = redactor.redact(form(captured(secret, 'tail', kept))).text;
          expect(tail).not.toContain(secret.slice(-kept).slice(0, 12));
          expect(redactor.redact(head).text).toBe(head);
          expect(redactor.redact(tail).text).toBe(tail);
        }
      },
    );

    it(`no half of a private key is left, ${how}`, () => {
      const { armour, body } = privateKey();
      for (const kept of [80, 400, 700, 1_200]) {
        for (const cut of ['head', 'tail'] as const) {
          const text = redactor.redact(form(captured(armour, cut, kept))).text;
          for (const line of body) expect(text).not.toContain(line.slice(0, 20));
        }
      }
    });
  }

  it('ordinary text and a flood stay as they are', () => {
    const capture = new OutputCapture();
    capture.push(Buffer.from('y\n'.repeat(100_000)));
    expect(redactor.redact(capture.result().text).removed).toEqual([]);
    const long = new OutputCapture();
    long.push(Buffer.from('x'.repeat(200_000)));
    expect(redactor.redact(long.result().text).removed).toEqual([]);
  });
});
