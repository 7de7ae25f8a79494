import type { CallPreview, DisplayToken } from '@shared/requests';
import { Copy } from '../ui/Copy';
import { Diff } from '../ui/Diff';
import { bytes, plural } from '../ui/format';
import { CommandLine } from '../ui/Tokens';
import { visible } from '../ui/text';
import { Attempts, ranAgain } from './Attempts';
import type { CallEntry } from './entries';
import { Original } from './Original';
import { Printed } from './Printed';
import { RanIn } from './RanIn';
import { quoted, readArguments, readResult } from './result';

/** The inside of a call: what it changes, what it printed, what the model was told, and what it was called with. */
export function CallDetail({ entry }: { readonly entry: CallEntry }) {
  const { preview, phase } = entry;
  return (
    <div className="detail">
      {preview?.kind === 'file' && <Diff diff={preview.diff} omittedLines={preview.omittedLines} />}
      {preview !== null && <What preview={preview} command={entry.command ?? []} />}
      <Attempts entry={entry} />
      <Output entry={entry} />
      <RanIn entry={entry} />
      <SandboxNote entry={entry} />
      {phase.is === 'denied' && phase.told !== '' && (
        <dl className="facts">
          <dt>Told</dt>
          <dd className="iso">{visible(phase.told)}</dd>
        </dl>
      )}
      {entry.inputText !== null && preview?.kind !== 'file' && <Arguments inputText={entry.inputText} />}
    </div>
  );
}

interface WhatProps {
  readonly preview: CallPreview;
  readonly command: readonly DisplayToken[];
}

function What({ preview, command }: WhatProps) {
  switch (preview.kind) {
    case 'command':
      return (
        <dl className="facts">
          <dt>Command</dt>
          <dd className="whole-command">
            <CommandLine command={command} />
            <Copy text={quoted(preview.argv)} label="Copy command" />
          </dd>
          <dt>In</dt>
          <dd className="mono iso">{visible(preview.cwd)}</dd>
          <dt>Program</dt>
          <dd className="mono iso">{visible(preview.program)}</dd>
        </dl>
      );
    case 'move':
    case 'delete':
      return (
        <dl className="facts">
          <dt>{preview.kind === 'move' ? 'Moves' : 'Deletes'}</dt>
          <dd>
            {plural(preview.files, 'file')}, {bytes(preview.bytes)}
          </dd>
        </dl>
      );
    case 'file':
    case 'arguments':
      return null;
  }
}

function Output({ entry }: { readonly entry: CallEntry }) {
  // What it came to without running again stands with the run that it was.
  if (entry.phase.is === 'denied' || (entry.attempts.length > 0 && !ranAgain(entry))) return null;
  const result = entry.result === null ? null : readResult(entry.result.content, entry.preview);
  const raw = result === null ? entry.output : result.is === 'command' ? result.output : result.text;
  if (raw === '') {
    return result?.is === 'command' ? <p className="hint small">It printed nothing.</p> : null;
  }
  const cut = result === null && entry.outputBytes > new TextEncoder().encode(entry.output).length;
  return (
    <div className="out-wrap">
      <div className="out-act">
        <Copy text={raw} label="Copy output" />
      </div>
      <Printed text={raw} live={result === null} bad={entry.result?.isError === true} />
      {result === null && <Original callId={entry.callId} shown={raw} />}
      {cut && <p className="hint small">{bytes(entry.outputBytes)} so far; the beginning is shown.</p>}
      {result?.is === 'command' && result.truncated && (
        <p className="hint small">The middle was left out: the output was too long to keep.</p>
      )}
    </div>
  );
}

function SandboxNote({ entry: { result, preview } }: { readonly entry: CallEntry }) {
  const read = result === null ? null : readResult(result.content, preview);
  if (read?.is !== 'command' || read.note === '') return null;
  return (
    <dl className="facts">
      <dt>Sandbox</dt>
      <dd className="iso">{visible(read.note)}</dd>
    </dl>
  );
}

function Arguments({ inputText }: { readonly inputText: string }) {
  const rows = readArguments(inputText);
  if (rows !== null && rows.length === 0) return null;
  return (
    <details className="args">
      <summary>Arguments</summary>
      {rows === null ? (
        <pre className="out">{visible(inputText)}</pre>
      ) : (
        <dl className="facts">
          {rows.map((row) => (
            <div key={row.name} className="fact">
              <dt className="mono iso">{visible(row.name)}</dt>
              <dd className="mono iso">{visible(row.value)}</dd>
            </div>
          ))}
        </dl>
      )}
      <Copy text={inputText} label="Copy arguments" />
    </details>
  );
}
