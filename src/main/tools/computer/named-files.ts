/** Of a word that is not a path alone, the parts that may be one lie between these. */
const BETWEEN = /[\s"'`;|&<>(){}[\]$=:,@\\]+/;
/** A shell, and many a program that starts one, reads these away: `./a''b` is `./ab`. */
const QUOTING = /["'\\]+/g;
/** `-fscript.awk`: a short option with its value behind it. */
const SHORT_OPTION = /^-[A-Za-z](.+)$/s;

/**
 * Everything in the words of a command that may be the name of a file, without a look at any disk: whole words, values of
 * options, parts of a line that a shell is to read. Only a guess: one too many binds a decision to more, never to less.
 */
export function namesIn(words: readonly string[]): string[] {
  return [...new Set(words.flatMap(namesInWord))].filter((name) => name !== '' && !name.includes('\0'));
}

function namesInWord(word: string): string[] {
  const parts = [word, ...word.split(BETWEEN)];
  if (QUOTING.test(word)) parts.push(...word.replace(QUOTING, '').split(BETWEEN));
  return parts.flatMap((part) => {
    const value = SHORT_OPTION.exec(part)?.[1];
    return value === undefined ? [part] : [part, value];
  });
}
