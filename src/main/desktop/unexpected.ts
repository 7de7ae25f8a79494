/** So many are told of; a fault that comes back all the time would hide everything else. */
const MAX_TOLD = 20;

/** What a process tells of itself, as far as it is needed here. */
interface Source {
  on(event: 'uncaughtException' | 'unhandledRejection', listener: (error: unknown) => void): unknown;
}

/**
 * Keeps an exception that nobody caught from standing still in Electron's own dialog: it is modal, and while it is open no
 * request expires and no command is ended. Nothing that was not decided runs because of it, as every call asks the store;
 * so the app goes on, and the operator is told.
 */
export function watchUnexpected(source: Source, tell: (message: string, remedy: string) => void): void {
  let told = 0;
  const unexpected = (error: unknown) => {
    console.error('Nobody expected this:', error);
    told += 1;
    if (told > MAX_TOLD) return;
    const what = error instanceof Error ? error.message : String(error);
    tell(
      `Something went wrong inside Sayso: ${what}`,
      'Nothing was decided or run by it. Start Sayso anew when your runs have come to a rest.',
    );
  };
  source.on('uncaughtException', unexpected);
  source.on('unhandledRejection', unexpected);
}
