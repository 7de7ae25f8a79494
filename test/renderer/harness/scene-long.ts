import * as body from './bodies';
import { emptyWorld, Journal, MINUTE, session, type World } from './world';

/** Ten thousand sessions, and one of them with thousands of entries. */
export function long(now: number): World {
  const world = emptyWorld();
  world.sessions = Array.from({ length: 10_000 }, (_, n) =>
    session(n + 1, now, {
      title: `Session number ${n + 1}`,
      updatedAt: now - n * 7 * MINUTE,
      state: n === 0 ? 'thinking' : 'completed',
    }),
  );
  const journal = new Journal(1, now - 20_000_000);
  journal.add(body.started(), { type: 'user_message', text: 'Go through everything.' });
  for (let turn = 1; turn <= 800; turn += 1) {
    journal.add(
      body.said(
        turn,
        body.text(`Turn ${turn}: ${'I look at the next file. '.repeat((turn % 7) + 1)}`),
        body.use(`c${turn}`, 'run_command', { argv: ['cat', `file-${turn}`] }),
      ),
      body.run(turn, `c${turn}`, ['cat', `file-${turn}`]),
      body.ran(turn, `c${turn}`, 'cat', `content of ${turn}\n`, 12),
    );
  }
  world.events = journal.events;
  return world;
}
