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

/** The copy of a store is not sound: then the store itself is not. */
export class UnsoundCopy extends SessionProblem {
  constructor(what: string) {
    super(
      'refused',
      `The copy is not sound: ${what}`,
      'Quit Sayso and start it again: it then checks the whole store.',
    );
  }
}
