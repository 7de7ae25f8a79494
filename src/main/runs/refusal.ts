/** Why something the operator asked for was not done: nothing was started and nothing was changed. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  constructor(
    readonly code: 'not-found' | 'conflict' | 'refused' | 'changed' | 'elsewhere',
    message: string,
    /** What to do about it. */
    readonly remedy?: string,
  ) {
    super(message);
  }
}
