/** Why something that was asked of the sessions was not done. Nothing was changed. */
export class SessionProblem extends Error {
  override readonly name = 'SessionProblem';
  constructor(
    readonly code: 'not-found' | 'conflict' | 'refused',
    message: string,
    /** What to do about it. */
    readonly remedy?: string,
  ) {
    super(message);
  }
}
