import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { labelsForArgv, labelsForShell, MAX_SHELL_LENGTH } from '../../../../src/main/approvals/labels/shell-labels';

const ids = (command: string) => labelsForShell(command, { workspace: '/home/ada/app' }).map((label) => label.id);

describe('a hostile command', () => {
  const nested = (depth: number) => {
    let text = 'rm x';
    for (let level = 0; level < depth; level += 1) text = `sh -c '${text.replaceAll("'", `'\\''`)}'`;
    return text;
  };
  it.each([
    ['too long', `rm ${'a'.repeat(MAX_SHELL_LENGTH)}`],
    ['nested subshells', '('.repeat(MAX_SHELL_LENGTH)],
    ['nested substitutions', '$('.repeat(MAX_SHELL_LENGTH / 2)],
    ['nested quoted substitutions', '"$('.repeat(MAX_SHELL_LENGTH / 3)],
    ['nested arithmetic', '$(('.repeat(MAX_SHELL_LENGTH / 3)],
    ['many here-documents', '<<a '.repeat(MAX_SHELL_LENGTH / 4)],
    ['nested expansions', '${a:-'.repeat(MAX_SHELL_LENGTH / 5)],
    ['nested conditions', 'if '.repeat(MAX_SHELL_LENGTH / 3)],
    ['wrappers without end', 'env '.repeat(MAX_SHELL_LENGTH / 4)],
    ['backticks', '`'.repeat(MAX_SHELL_LENGTH - 1)],
  ])('of %s is labelled as not readable, soon', (_what, command) => {
    const start = performance.now();
    expect(ids(command)).toContain('unparsed');
    expect(performance.now() - start).toBeLessThan(5000);
  });

  it.each([
    ['pipes', `${'a|'.repeat(MAX_SHELL_LENGTH / 2 - 1)}rm`],
    ['finds', 'find -exec '.repeat(MAX_SHELL_LENGTH / 11)],
    ['sed scripts', `sed ${'s/a/b/;'.repeat(2500)}`],
    ['long options', `git branch ${'-a'.repeat(9000)}`],
    ['paths', `rm ${'../'.repeat(6000)}`],
  ])('of many %s is read in bounded time', (_what, command) => {
    const start = performance.now();
    labelsForShell(command);
    expect(performance.now() - start).toBeLessThan(5000);
  });

  it('of shells within shells is read, or labelled as not readable', () => {
    expect(ids(nested(4))).toEqual(['deletes']);
    expect(ids(nested(8))).toContain('unparsed');
  });

  it('never makes it throw', () => {
    const bits =
      'rm;|;&;(;);{;};$(;`;";\';\\;<<E;\nE\n;<(;>;sh;-c;eval;xargs;env;find;-exec;if;then;fi;case;in;esac;$;${;#;*;[[;]];!;git;-;=;\0;\u202e;\ud800';
    const shellish = fc.array(fc.constantFrom(...bits.split(';'), ' ', ';', '\n')).map((parts) => parts.join(''));
    fc.assert(
      fc.property(fc.oneof(shellish, fc.string({ unit: 'binary' })), (command) => {
        const labels = labelsForShell(command);
        expect(new Set(labels.map((label) => label.id)).size).toBe(labels.length);
      }),
      { numRuns: 3000 },
    );
    fc.assert(
      fc.property(fc.array(fc.oneof(shellish, fc.constantFrom(...bits.split(';')))), (argv) => {
        labelsForArgv(argv);
      }),
      { numRuns: 1000 },
    );
  });
});
