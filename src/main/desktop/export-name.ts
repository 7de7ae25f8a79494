import type { ExportFormat } from '@shared/sessions';
import { createRedactor, type KnownSecret } from '../tools/redaction/redactor';

const EXTENSIONS: Readonly<Record<ExportFormat, string>> = { jsonl: 'jsonl', markdown: 'md', html: 'html' };
const MAX_LENGTH = 60;

/**
 * What an exported session's file is proposed to be called, in characters that every system takes. A title is what was
 * typed first; the name of a file is seen where nobody opens it, so secrets are taken out of it whatever the format.
 */
export function exportName(title: string, format: ExportFormat, known: readonly KnownSecret[]): string {
  const name = createRedactor({ known, names: 'shortened' })
    .redact(title)
    .text.replace(/[^\p{L}\p{N} ._-]+/gu, ' ')
    .replace(/\s+/gu, ' ')
    .trim()
    .replace(/^[. ]+/u, '')
    .slice(0, MAX_LENGTH)
    .trim();
  return `${name || 'session'}.${EXTENSIONS[format]}`;
}
