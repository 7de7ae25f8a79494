import type { SessionId } from '../../src/shared/ids';
import { calls, says, scripted } from '../support/agents';
import { expect, type SaysoApp, test } from '../support/app';
import { ask, call } from '../support/bridge';
import { consoleOf, openCard } from '../support/console';

const human = { harness: { human_in_the_loop: { enabled: true } } } as const;
const QUESTION = 'Which way do we go?';

/** What the model was told, call by call, exactly. */
function told(app: SaysoApp, sessionId: SessionId): string[] {
  return app.journal.bodies(sessionId, 'call_result').map((result) => result.content);
}

function asksOnce(tool: string, input: Readonly<Record<string, unknown>>, approvalTimeout = '120s') {
  const turns = [calls(tool, input), says('Thank you.')];
  return scripted('asker', turns, { ...human, guardrails: { approvalTimeout } });
}

const CONFIRMS = [
  { press: 'Yes', reason: '', result: { confirmed: true } },
  { press: 'No', reason: '', result: { confirmed: false } },
  { press: 'No', reason: 'The bridge is out', result: { confirmed: false, reason: 'The bridge is out' } },
] as const;

for (const { press, reason, result } of CONFIRMS) {
  test(`ask_human_confirm: ${press}${reason === '' ? '' : ' with a reason'}`, async ({ launch, makeFolder }) => {
    const app = await launch({ agents: asksOnce('ask_human_confirm', { question: QUESTION }) });
    const sessionId = await app.start({ agent: 'asker', prompt: 'Ask me', workspace: await makeFolder() });
    const { card, reason: field } = await openCard(consoleOf(app.page).cards());
    await expect(card).toHaveAccessibleName('Question: ask_human_confirm');
    await expect(card).toContainText(QUESTION);
    if (reason !== '') await field.fill(reason);
    await card.getByRole('button', { name: press, exact: true }).click();
    await app.reached(sessionId, 'completed');
    expect(told(app, sessionId)).toEqual([JSON.stringify(result)]);
  });
}

test('ask_human_select: an option, and none of them', async ({ launch, makeFolder }) => {
  const input = { question: QUESTION, options: ['North', 'South by the river'] };
  const turns = [calls('ask_human_select', input), calls('ask_human_select', input), says('Thank you.')];
  const app = await launch({ agents: scripted('asker', turns, human) });
  const ui = consoleOf(app.page);
  const sessionId = await app.start({ agent: 'asker', prompt: 'Let me choose', workspace: await makeFolder() });

  const first = await openCard(ui.cards());
  const options = first.card.getByRole('radiogroup', { name: 'Options' });
  await expect(options.getByRole('radio')).toHaveCount(2);
  await expect(first.card.getByRole('button', { name: 'Answer', exact: true })).toBeDisabled();
  await options.getByRole('radio', { name: 'South by the river' }).click();
  await first.card.getByRole('button', { name: 'Answer', exact: true }).click();
  await expect.poll(() => told(app, sessionId)).toEqual(['{"selected":"South by the river"}']);

  const second = await openCard(ui.cards().last());
  await second.card.getByRole('button', { name: 'None of these' }).click();
  await app.reached(sessionId, 'completed');
  expect(told(app, sessionId)[1]).toBe('{"selected":null}');
});

test('ask_human_input: a text, the default as it stands, and an empty one, which is an answer', async ({
  launch,
  makeFolder,
}) => {
  const question = calls('ask_human_input', { question: QUESTION, default: 'Along the coast' });
  const app = await launch({ agents: scripted('asker', [question, question, question, says('Thank you.')], human) });
  const ui = consoleOf(app.page);
  const sessionId = await app.start({ agent: 'asker', prompt: 'Let me write', workspace: await makeFolder() });

  const given = ['Over “the” hill\nand back', 'Along the coast', ''];
  for (const [index, words] of given.entries()) {
    const { card } = await openCard(ui.cards().last());
    const field = card.getByRole('textbox', { name: 'Answer' });
    await expect(field).toHaveValue('Along the coast');
    await field.fill(words);
    await card.getByRole('button', { name: 'Answer', exact: true }).click();
    await expect.poll(() => told(app, sessionId)).toHaveLength(index + 1);
  }
  await app.reached(sessionId, 'completed');
  expect(told(app, sessionId)).toEqual(given.map((value) => JSON.stringify({ value })));
});

const FORMS = [
  { tool: 'ask_human_confirm', input: { question: QUESTION }, key: 'confirmed', negative: false },
  { tool: 'ask_human_select', input: { question: QUESTION, options: ['One'] }, key: 'selected', negative: null },
  { tool: 'ask_human_input', input: { question: QUESTION }, key: 'value', negative: null },
] as const;

for (const { tool, input, key, negative } of FORMS) {
  test(`${tool}: nobody answers, and the negative answer says so`, async ({ launch, makeFolder }) => {
    const app = await launch({ agents: asksOnce(tool, input, '5s') });
    const ui = consoleOf(app.page);
    const sessionId = await app.start({ agent: 'asker', prompt: 'Wait for nobody', workspace: await makeFolder() });
    await ui.open('Wait for nobody');
    await app.reached(sessionId, 'completed');
    const [content] = told(app, sessionId);
    const result = JSON.parse(content ?? '{}');
    expect(Object.keys(result)).toEqual([key, 'reason']);
    expect(result[key]).toBe(negative);
    expect(result.reason).toMatch(/nobody answered/);
    await expect(ui.timeline).toContainText('nobody answered');
    await expect(ui.timeline).not.toContainText('answered by you');
  });

  test(`${tool}: declined with a reason`, async ({ launch, makeFolder }) => {
    const app = await launch({ agents: asksOnce(tool, input) });
    const sessionId = await app.start({ agent: 'asker', prompt: 'No comment', workspace: await makeFolder() });
    await app.reached(sessionId, 'waiting');
    const [request] = (await ask(app.page, 'listRequests', {})).requests;
    if (request === undefined) throw new Error('there is no request');
    const { id: requestId, digest } = request;
    // An approval is no answer to a question.
    const approved = await call(app.page, 'answerRequest', {
      requestId,
      digest,
      answer: { type: 'approve', remember: null },
    });
    expect(approved).toMatchObject({ ok: false, error: { code: 'refused' } });
    await ask(app.page, 'answerRequest', { requestId, digest, answer: { type: 'decline', reason: 'Ask my lawyer' } });
    await app.reached(sessionId, 'completed');
    expect(told(app, sessionId)).toEqual([JSON.stringify({ [key]: negative, reason: 'Ask my lawyer' })]);
  });
}

test('a question that quitting interrupts has no answer on record, and is asked again', async ({
  launch,
  makeFolder,
}) => {
  const app = await launch({ agents: asksOnce('ask_human_confirm', { question: QUESTION }) });
  const sessionId = await app.start({ agent: 'asker', prompt: 'Ask across a restart', workspace: await makeFolder() });
  await app.reached(sessionId, 'waiting');
  await app.quit();
  expect(told(app, sessionId)).toEqual([]);

  const back = await launch({ home: app.home });
  const ui = consoleOf(back.page);
  await ui.open('Ask across a restart');
  await ui.resume.click();
  const { card } = await openCard(ui.cards());
  await card.getByRole('button', { name: 'Yes', exact: true }).click();
  await back.reached(sessionId, 'completed');
  expect(told(back, sessionId)).toEqual(['{"confirmed":true}']);
});

test('without human_in_the_loop there is no such tool, and nobody is asked', async ({ launch, makeFolder }) => {
  const app = await launch({
    agents: scripted('asker', [calls('ask_human_confirm', { question: QUESTION }), says('Hm.')]),
  });
  const sessionId = await app.start({ agent: 'asker', prompt: 'Not enabled', workspace: await makeFolder() });
  await app.reached(sessionId, 'completed');
  expect(app.journal.requests(sessionId)).toEqual([]);
  const [result] = app.journal.bodies(sessionId, 'call_result');
  expect(result).toMatchObject({ isError: true, content: expect.stringMatching(/no tool named "ask_human_confirm"/) });
});
