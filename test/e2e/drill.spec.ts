import { Driller } from '../drills/drill';
import { expect, test } from '../support/app';

/** A kill of each kind, at a point that this life is sure to pass: test/drills/app says where points are. */
const at = (point: string) => ({ point, operator: 'there' }) as const;
const whileStarting = (point: string) => ({ point, operator: 'not yet' }) as const;

test('a run that is killed with -9 in one life after the other comes to the end of one that is not', async () => {
  test.setTimeout(240_000);
  const driller = await Driller.open();
  try {
    const problems = await driller.drillInTurn([
      // In mid-stream.
      at('commit model_delta#2'),
      // Between journal and spawn: the call is on record, and never began.
      at('spawn command#1'),
      // During a command: the operator had said that it shall run again.
      at('command is 60 ms old#1'),
      // While a request waits; before it the operator said that the command is done, and what came of it.
      at('asked answerRequest#3'),
      // During a settlement, of the first request after the one that the crash has left.
      at('write INSERT audit#2'),
      whileStarting('commit run_ended#1'),
      // During a resume.
      at('commit INSERT holders#1'),
      'age the store',
      // During a migration.
      whileStarting('executed ALTER TABLE sessions ADD COLUMN waiting_#1'),
      at('worker: file sync drill.jsonl.part#1'),
      at('worker: write event user_message#1'),
      at('worker: file rename backup.sqlite.PID.part#1'),
      // On quit.
      at('pragma wal_checkpoint(TRUNCATE)#1'),
    ]);
    expect(problems).toEqual([]);
  } finally {
    await driller.close();
  }
});
