import { busy } from './scene-busy';
import { hostile } from './scene-hostile';
import { long } from './scene-long';
import { emptyWorld, type World } from './world';

export const scenes: Readonly<Record<string, (now: number) => World>> = {
  busy,
  hostile,
  long,
  empty: () => emptyWorld(),
  refused: (now) => ({ ...busy(now), refuseAnswers: true }),
};
