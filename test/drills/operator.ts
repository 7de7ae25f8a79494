import { existsSync } from 'node:fs';
import type { Page } from '@playwright/test';
import type { SessionId } from '../../src/shared/ids';
import type { Request } from '../../src/shared/requests';
import { isResumable, type RunState } from '../../src/shared/states';
import type { SaysoApp } from '../support/app';
import { ask, call } from '../support/bridge';
import { consoleOf, openCard } from '../support/console';
import { answerDialogs } from '../support/dialogs';
import { expect } from '../support/expect';
import type { Lane } from './lane';
import { decide } from './script';

export const TITLE = 'Drill';

/** What waits for the operator now, or how the session has ended. */
type Next = { readonly requests: readonly Request[] } | { readonly state: RunState };

/**
 * The operator before the window: begins the run or goes on with it, answers what it asks, and when it is done exports
 * it, takes in another session, makes a backup and quits. Whatever of that is done already is not done again.
 */
export async function operate(app: SaysoApp, lane: Lane, prompt = TITLE): Promise<void> {
  const session = app.journal.sessions().find(({ title }) => title === prompt);
  if (session === undefined) {
    const sessionId = await app.start({ agent: 'driller', prompt, workspace: lane.work });
    await answerAll(app, lane, sessionId, 'bridge');
  } else if (isResumable(session.state as RunState)) {
    await resume(app);
    await answerAll(app, lane, session.id, 'window');
    await expect(consoleOf(app.page).status).toHaveText('Completed');
  }
  const done = app.journal.sessions().find(({ title }) => title === prompt);
  if (done?.state !== 'completed') throw new Error(`the session is ${done?.state ?? 'gone'}: ${done?.detail}`);
  await keep(app, lane, done.id);
  await app.quit();
}

/** As a person does it: the session in the list, then Resume. */
async function resume(app: SaysoApp): Promise<void> {
  const ui = consoleOf(app.page);
  await ui.open(TITLE);
  await ui.resume.click();
}

/** @param first how the first approval is given; all others go over the bridge, as the window sends them */
async function answerAll(app: SaysoApp, lane: Lane, sessionId: SessionId, first: 'window' | 'bridge'): Promise<void> {
  const answered: string[] = [];
  let byHand = first === 'window';
  for (;;) {
    const next = await nextOf(app.page, sessionId, answered);
    if ('state' in next) return;
    for (const request of next.requests) {
      answered.push(request.id);
      const answer = decide(request, await lane.begun());
      lane.given.set(request.id, answer);
      if (byHand && answer.type === 'approve' && answer.remember === null) {
        const card = await openCard(consoleOf(app.page).cards());
        await card.approve.click();
        byHand = false;
      } else {
        await ask(app.page, 'answerRequest', { requestId: request.id, digest: request.digest, answer });
      }
    }
  }
}

/** Waits, in the window, for what the main process tells it. */
function nextOf(page: Page, sessionId: SessionId, answered: readonly string[]): Promise<Next> {
  const look = async ([id, done]: readonly [SessionId, readonly string[]]) => {
    const { sayso } = globalThis as unknown as { readonly sayso: import('../../src/shared/bridge').SaysoBridge };
    const now = async () => {
      const inbox = await sayso.listRequests({});
      const requests = inbox.ok ? inbox.value.requests.filter((request) => !done.includes(request.id)) : [];
      if (requests.length > 0) return { requests };
      const found = await sayso.getSession({ sessionId: id });
      const state = found.ok ? found.value.session.state : 'failed';
      // It is interrupted until its next run has started.
      return ['completed', 'failed', 'stopped', 'budget'].includes(state) ? { state } : null;
    };
    return new Promise<Next>((resolve) => {
      const turn = () => void now().then((next) => next !== null && resolve(next));
      sayso.onPush(turn);
      turn();
    });
  };
  return page.evaluate(look, [sessionId, answered] as const);
}

async function keep(app: SaysoApp, lane: Lane, sessionId: SessionId): Promise<void> {
  if (!existsSync(lane.exported)) {
    await answerDialogs(app, lane.exported);
    await ask(app.page, 'exportSession', { sessionId, format: 'jsonl' });
  }
  if (existsSync(lane.other)) {
    await answerDialogs(app, lane.other);
    const taken = await call(app.page, 'importSession', {});
    if (!taken.ok && !/here already/.test(taken.error.message)) throw new Error(taken.error.message);
  }
  if (!existsSync(lane.backup)) {
    await answerDialogs(app, lane.backup);
    await ask(app.page, 'backUpStore', {});
  }
}
