/** Why something that was asked of the sessions was not done. Nothing was changed. */
export class SessionProblem extends Error {
  override readonly name = 'SessionProblem';
  constructor(
    /** `failed`: the disk or the store would not have it. */
    readonly code: 'not-found' | 'conflict' | 'refused' | 'failed',
    message: string,
    /** What to do about it. */
    readonly remedy?: string,
  ) {
    super(message);
  }
}
