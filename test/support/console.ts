import type { Locator, Page } from '@playwright/test';
import { expect } from './expect';

/** The window by the roles and names that ui.md keeps stable. */
export function consoleOf(page: Page) {
  const inbox = page.getByRole('region', { name: 'Approval inbox' });
  const sessions = page.getByRole('navigation', { name: 'Sessions' });
  const main = page.getByRole('main');
  return {
    inbox,
    sessions,
    main,
    grants: page.getByRole('region', { name: 'Remembered approvals' }),
    timeline: main.getByRole('feed', { name: 'Timeline' }),
    status: main.getByRole('status', { name: 'Run status' }),
    message: main.getByRole('textbox', { name: 'Message' }),
    send: main.getByRole('button', { name: 'Send' }),
    stop: main.getByRole('button', { name: 'Stop', exact: true }),
    resume: main.getByRole('button', { name: 'Resume', exact: true }),
    newRun: page.getByRole('button', { name: 'New run' }),
    demo: page.getByRole('button', { name: 'Start the demo run' }),

    /** The cards of the inbox; of one session where its title is given. */
    cards: (title?: string) => {
      const all = inbox.getByRole('article', { name: /^(Approval|Question): / });
      return title === undefined ? all : all.filter({ hasText: title });
    },

    /** Goes to a session by its title. */
    open: async (title: string) => {
      await sessions.getByRole('link', { name: title, exact: true }).click();
      await expect(main.getByRole('heading', { name: title, exact: true })).toBeVisible();
    },
  };
}
export type Console = ReturnType<typeof consoleOf>;

/**
 * A request's card, in full and read to the end of its command, as a person does it: the inbox shows the others in short
 * until they are clicked, and Approve waits until the whole command was on screen.
 */
export async function openCard(card: Locator): Promise<Card> {
  await expect(card).toBeVisible();
  const parts = cardOf(card);
  if (!(await parts.full.isVisible())) await card.click();
  await expect(parts.full).toBeVisible();
  if ((await parts.command.count()) > 0) await parts.command.last().scrollIntoViewIfNeeded();
  return parts;
}

export type Card = ReturnType<typeof cardOf>;

export function cardOf(card: Locator) {
  const decline = card.getByRole('button', { name: 'Decline', exact: true });
  return {
    card,
    approve: card.getByRole('button', { name: 'Approve', exact: true }),
    decline,
    reason: card.getByRole('textbox', { name: 'Reason' }),
    remember: card.getByRole('combobox', { name: 'Remember' }),
    command: card.getByRole('list', { name: 'Command', exact: true }).getByRole('listitem'),
    timeLeft: card.getByRole('timer', { name: 'Time left' }),
    /** Anything that only a card in full has. */
    full: decline.or(card.getByRole('button', { name: /^(Answer|Yes)$/ })).first(),
  };
}
