// Prints the path of the Electron executable that start and the tests use, and nothing else on standard output.
import { setUp } from './setup/index.mjs';
import { runScript } from './setup/report.mjs';

await runScript(async () => {
  process.stdout.write(`${await setUp()}\n`);
  return 0;
});
