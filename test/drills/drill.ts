import { copyFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { DATABASE_FILE } from '../../src/main/sessions/database';
import { checkAlways, checkEnd, type End, endOf } from './checks';
import { readStore } from './evidence';
import { Lane } from './lane';
import { type Kill, type Life, live } from './life';
import { FIXTURE, makeOld } from './old-store';
import { type Beginning, earlier, type Target } from './plan';

/** What came of one kill: nothing wrong, or what is. */
export interface Drilled extends Target {
  /** False where the app came to its end before the point. */
  readonly killed: boolean;
  readonly problems: readonly string[];
  readonly ms: number;
}

/** Where a life is killed that leaves a beginning for others. */
const LEAVES = {
  done: 'asked exportSession#1',
  asked: 'asked answerRequest#2',
  unrun: 'spawn command#2',
  ran: 'exit command#2',
} as const;

/** Lives differ in how long they take: the app may be at its end before the point. */
const MAX_TRIES = 6;

/** Drills in one lane, one kill after the other. */
export class Driller {
  private constructor(
    private readonly lane: Lane,
    private readonly end: End,
  ) {}

  /** Opens a lane, and finds out in an undisturbed life what a run comes to. */
  static async open(): Promise<Driller> {
    const lane = await Lane.open();
    try {
      // It is another home's: its session is there to be taken in by the lives that follow.
      const title = 'Drill of another home';
      const life = await live(lane, null, title);
      if (life.failure !== null) throw new Error(`without a kill: ${life.failure}`);
      const end = await endOf(lane, title);
      await copyFile(lane.exported, lane.other);
      await lane.clear();
      return new Driller(lane, end);
    } catch (error) {
      await lane.close();
      throw error;
    }
  }

  close(): Promise<void> {
    return this.lane.close();
  }

  /** Makes what the lives of `drill` begin with. */
  async prepare(): Promise<void> {
    await this.lane.keep('fresh');
    for (const [beginning, point] of Object.entries(LEAVES)) {
      await this.lane.restore('fresh');
      const life = await live(this.lane, { point, operator: 'there' });
      if (!life.killed) throw new Error(`it was not killed at ${point}: ${life.failure}`);
      await this.lane.keep(beginning);
    }
    await this.#age();
    await this.lane.keep('old');
  }

  /** An undisturbed life of each beginning: which points there are. */
  async lives(beginnings: readonly Beginning[]): Promise<Partial<Record<Beginning, Life>>> {
    const lives: Partial<Record<Beginning, Life>> = {};
    for (const beginning of beginnings) {
      await this.lane.restore(beginning);
      const life = await live(this.lane, null);
      const problems = [...lookAt(life), ...(await checkEnd(this.lane, this.end))];
      if (problems.length > 0) throw new Error(`without a kill, from ${beginning}: ${problems.join('; ')}`);
      lives[beginning] = life;
    }
    return lives;
  }

  /** Kills, looks at what is left, and goes on to the end. A point that was not reached is tried again, earlier. */
  async drill(target: Target): Promise<Drilled> {
    let [next, drilled] = [target, await this.#drill(target)];
    for (let tries = 1; tries < MAX_TRIES && !drilled.killed && drilled.problems.length === 0; tries++) {
      next = earlier(next);
      drilled = await this.#drill(next);
    }
    return drilled;
  }

  /** One run, killed in one life after the other, each going on where the one before was killed, and then let live. */
  async drillInTurn(kills: readonly (Kill | 'age the store')[]): Promise<string[]> {
    const problems: string[] = [];
    for (const kill of kills) {
      if (kill === 'age the store') {
        await this.#age();
        continue;
      }
      const life = await live(this.lane, kill);
      const found = [...(life.killed ? [] : ['it was not killed']), ...lookAt(life), ...(await checkAlways(this.lane))];
      problems.push(...found.map((problem) => `${JSON.stringify(kill)}: ${problem}`));
    }
    return [...problems, ...(await this.#goOn())];
  }

  async #drill(target: Target): Promise<Drilled> {
    const began = Date.now();
    await this.lane.restore(target.beginning);
    const life = await live(this.lane, target.kill);
    const problems = [...lookAt(life), ...(await checkAlways(this.lane)), ...(await this.#goOn())];
    if (target.beginning === 'old') problems.push(...(await this.#checkOld()));
    return { ...target, killed: life.killed, problems: [...new Set(problems)], ms: Date.now() - began };
  }

  /** An undisturbed life, from whatever was left, to the end that there is without a kill. */
  async #goOn(): Promise<string[]> {
    const life = await live(this.lane, null);
    return [...lookAt(life), ...(await checkAlways(this.lane)), ...(await checkEnd(this.lane, this.end))];
  }

  /** Puts what there is into a store of version 1. */
  async #age(): Promise<void> {
    await rm(join(this.lane.home, 'backups'), { recursive: true, force: true });
    await makeOld(join(this.lane.home, DATABASE_FILE));
    // Its events have other seqs there.
    await this.lane.forget();
  }

  /** What was in the old store is in the new one, event for event. */
  async #checkOld(): Promise<string[]> {
    const { events } = await readStore(FIXTURE.folder, FIXTURE.name);
    const now = await readStore(this.lane.home);
    const kept = now.events.slice(0, events.length);
    return JSON.stringify(kept) === JSON.stringify(events) ? [] : ['the old store’s events are not what they were'];
  }
}

function lookAt({ failure, left }: Life): string[] {
  return [
    ...(failure === null ? [] : [failure]),
    ...(left === 0 ? [] : [`${left} processes of commands outlived the app`]),
  ];
}
