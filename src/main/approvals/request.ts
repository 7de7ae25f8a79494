import { randomUUID } from 'node:crypto';
import { isAbsolute } from 'node:path';
import type { Allowance } from '@shared/allowances';
import type { ToolUseBlock } from '@shared/events';
import { RequestId } from '@shared/ids';
import type { ApprovalRequest, CallPreview, GatedBy, QuestionForm, QuestionRequest, RiskLabel } from '@shared/requests';
import type { SessionSummary } from '@shared/sessions';
import type { KeptBy, SandboxTier } from '@shared/states';
import type { RunRef } from '../sessions/journal';
import type { AskedQuestion, PreparedCall } from '../tools/tool';
import { questionDigest } from './digest';
import { displayProse } from './display/display-prose';
import { type RiskLabel as KnownLabel, type LabelId, labelsOf } from './labels/risk-label';
import { labelsForArgv, labelsForShell } from './labels/shell-labels';
import { type Rememberable, rememberOptions } from './remember';

/** A suggested answer may be long, but not longer than an answer. */
const DEFAULT_LENGTH = 20_000;

interface Asked {
  readonly ref: RunRef;
  readonly session: SessionSummary;
  readonly block: ToolUseBlock;
  readonly turn: number;
  readonly tool: string;
  readonly timeoutMs: number;
}

interface AskedApproval extends Asked {
  readonly prepared: PreparedCall;
  readonly call: Rememberable;
  readonly gatedBy: GatedBy;
  readonly keptBy: KeptBy;
  readonly sandbox: SandboxTier;
  readonly changed: string | null;
}

/** The request that puts a gated call to the operator. */
export function approvalRequest(asked: AskedApproval): ApprovalRequest {
  const { prepared, call, gatedBy } = asked;
  const allows = gatedBy.because === 'wider' ? gatedBy.allows : [];
  return {
    ...base(asked, call.digest),
    kind: 'approval',
    preview: prepared.preview,
    command: [...call.command],
    cwd: prepared.cwd,
    gatedBy,
    keptBy: asked.keptBy,
    sandbox: asked.sandbox,
    labels: labelsOfCall(prepared, asked.session.workspace, allows),
    // What is allowed beyond the agent file is allowed once.
    remember: gatedBy.because === 'wider' ? [] : rememberOptions(call),
    changed: asked.changed,
  };
}

/** The request that puts a model's question to the operator. Its words are shown as prose, made safe to read. */
export function questionRequest(asked: Asked & { readonly asked: AskedQuestion }): QuestionRequest {
  const { question, form } = asked.asked;
  return {
    ...base(asked, questionDigest({ question, form })),
    kind: 'question',
    question: displayProse(question),
    answer: displayForm(form),
  };
}

function base({ ref, session, block, turn, tool, timeoutMs }: Asked, digest: string) {
  const createdAt = Date.now();
  return {
    id: RequestId.parse(randomUUID()),
    sessionId: ref.sessionId,
    runId: ref.runId,
    callId: block.id,
    agent: session.agent,
    sessionTitle: session.title,
    turn,
    tool,
    createdAt,
    expiresAt: createdAt + timeoutMs,
    digest,
  };
}

function displayForm(form: QuestionForm): QuestionForm {
  switch (form.form) {
    case 'confirm':
      return form;
    case 'select':
      return { form: 'select', options: form.options.map((option) => displayProse(option)) };
    case 'input':
      return { form: 'input', default: displayProse(form.default, DEFAULT_LENGTH) };
  }
}

/** What of a preview its risk labels follow from. */
export type LabelledPreview =
  | Pick<Extract<CallPreview, { kind: 'command' }>, 'kind' | 'argv' | 'shell'>
  | { readonly kind: Exclude<CallPreview['kind'], 'command'> };

/**
 * The risk labels of a command that would be started, or of a change of a file.
 * @param rows those of the call: behind the tool's name they are, for a change of a file, the paths that it is about
 */
export function labelsOfPreview(preview: LabelledPreview, rows: readonly string[], workspace: string): KnownLabel[] {
  if (preview.kind === 'arguments') return [];
  if (preview.kind !== 'command') {
    // Only what lies beyond the workspace is shown by its absolute path.
    return rows.slice(1).some((path) => isAbsolute(path)) ? labelsOf(new Set<LabelId>(['outside'])) : [];
  }
  const last = preview.argv.at(-1);
  return preview.shell && last !== undefined
    ? labelsForShell(last, { workspace })
    : labelsForArgv(preview.argv, { workspace });
}

/** The risk labels of a call, and of what it would be allowed beyond the agent file. */
export function labelsOfCall(
  { preview, command }: Pick<PreparedCall, 'preview' | 'command'>,
  workspace: string,
  allows: readonly Allowance[] = [],
): RiskLabel[] {
  const labels = labelsOfPreview(preview, command, workspace);
  const ids = allows.flatMap(({ kind }): LabelId[] =>
    kind === 'network' ? ['network'] : kind === 'write' ? ['outside'] : [],
  );
  return labelsOf(new Set([...labels.map(({ id }) => id), ...ids]));
}

/**
 * What differs between a call as it was approved and as it would run now, in words for the operator.
 * @param since what of it has run, in words
 */
export function whatChanged(approved: PreparedCall, now: PreparedCall, since = 'Nothing has run.'): string {
  const names = new Set([...Object.keys(approved.bound), ...Object.keys(now.bound)]);
  const differing = [...names].filter((name) => approved.bound[name] !== now.bound[name]);
  const what = differing.length > 0 ? differing.join(', ') : 'what it would do';
  return `You approved this call, but before it started something it depends on changed: ${what}. ${since}`;
}
