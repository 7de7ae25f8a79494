/**
 * Characters that a reader takes for ASCII, by what they are taken for; code points in hexadecimal.
 *
 * The facts are those of Unicode's confusables.txt (UTS #39), as far as the prototype is made of characters that names
 * of programs and flags are made of, and without what compatibility normalisation resolves by itself (fullwidth forms,
 * mathematical alphabets, ligatures). Two rows differ: all long dashes and bars count as `-`, and the small kappas as
 * `k`, which confusables.txt keeps apart and a hurried reader does not.
 */
const LOOKS_LIKE: Readonly<Record<string, string>> = {
  '+': '16ed 2795 1029b',
  '-': '2d7 6d4 1173 2010 2012 2013 2014 2015 2043 2212 2500 2501 2796 2cba 30fc 31d0 4e00 a7f7 fe58',
  '-.': 'a4fe',
  '.': '660 6f0 701 702 a4f8 a60e 10a50 1d16d',
  '..': 'a4fa',
  '/': '1735 2041 2044 2215 2571 27cb 29f8 2cc6 3033 30ce 31d3 4e3f 1d23a',
  '//': '2afd',
  '///': '2afb',
  2: '1a7 3e8 14bf a644 a6ef a75a',
  3: '1b7 21c 417 4e0 2ccc a76a a7ab 118ca 16f3b 1d206',
  4: '13ce 118af',
  5: '1bc 118bb',
  6: '431 13ee 2cd2 118d5',
  7: '104d2 118c6 1d212',
  8: '222 223 9ea a6a b03 1031a 1e8cb',
  9: '9ed a67 b68 d6d 2cca a76e 118ac 118cc 118d6',
  ':': '2d0 2f8 589 5c3 703 704 903 a83 16ec 1803 1809 205a 2236 a4fd a789',
  '=': '1400 2e40 30a0 a4ff',
  A: '391 410 13aa 15c5 a4ee 102a0 16f40',
  AA: 'a732',
  AE: 'c6 4d4',
  AO: 'a734',
  AR: '1f707',
  AU: 'a736',
  AV: 'a738 a73a',
  AY: 'a73c',
  B: '392 412 13f4 15f7 a4d0 a7b4 10282 102a1 10301',
  C: '3f9 421 13df 2ca4 a4da 102a2 10302 10415 1051c 118e9 118f2 1f74c',
  D: '13a0 15de 15ea a4d3',
  E: '395 415 13ac 22ff 2d39 a4f0 10286 118a6 118ae',
  F: '3dc 15b4 a4dd a798 10287 102a5 10525 118a2 118c2 1d213',
  G: '50c 13c0 13f3 a4d6',
  H: '397 41d 13bb 157c 2c8e a4e7 102cf',
  J: '37f 408 13ab 148d a4d9 a7b2',
  K: '39a 41a 13e6 16d5 2c94 a4d7 10518',
  L: '13de 14aa 2cd0 a4e1 1041b 10526 118a3 118b2 16f16 1d22a',
  M: '39c 3fa 41c 13b7 15f0 16d6 2c98 a4df 102b0 10311',
  MB: '1f76b',
  N: '39d 2c9a a4e0 10513',
  O: '39f 41e 555 7c0 9e6 b20 b66 12d0 2c9e 2d54 3007 a4f3 10292 102ab 10404 104c2 10516 114d0 118b5 118e0',
  OE: '152',
  OO: 'a698 a74e',
  P: '3a1 420 13e2 146d 2ca2 a4d1 10295',
  Q: '2d55',
  QE: '1f700',
  R: '1a6 13a1 13d2 1587 a4e3 104b4 16f35 1d216',
  S: '405 54f 13d5 13da a4e2 10296 10420 16f3a',
  T: '3a4 422 13a2 22a4 27d9 2ca6 a4d4 10297 102b1 10315 118bc 16f0a 1f768',
  T3: 'a728',
  U: '54d 1200 144c 222a 22c3 a4f4 104ce 118b8 16f42',
  V: '474 667 6f7 13d9 142f 2d38 a4e6 a6df 1051d 118a0 16f08 1d20d',
  VB: '1f76c',
  W: '51c 13b3 13d4 a4ea 118e6 118ef',
  X: '3a7 425 166d 16b7 2573 2cac 2d5d a4eb a7b3 10290 102b4 10317 10322 10527 118ec',
  Y: '3a5 423 4ae 13a9 13bd 2ca8 a4ec 102b2 118a4 16f43',
  Z: '396 13c3 a4dc 102f5 118a9 118e5',
  _: '7fa',
  a: '251 3b1 430 237a',
  aa: 'a733',
  ae: 'e6 4d5',
  ao: 'a735',
  au: 'a737',
  av: 'a739 a73b',
  ay: 'a73d',
  b: '184 42c 13cf 15af',
  bl: '42b',
  c: '3f2 441 1d04 2ca5 abaf 1043d',
  d: '501 13e7 146f a4d2',
  dz: '2a3',
  e: '435 4bd 212e ab32',
  f: '584 1e9d a799 ab35',
  g: '18d 261 581 1d83',
  h: '4bb 570 13c2',
  i: '131 269 26a 2db 37a 3b9 456 4cf 13a5 2373 a647 ab75 118c3',
  j: '3f3 458',
  k: '138 3ba 43a 1d0b 2c95',
  l:
    '196 1c0 399 406 4c0 5c0 5d5 5df 627 661 6f1 7ca 16c1 2223 23fd 2c92 2d4f a4f2 ffe8 1028a 10309 10320 ' +
    '16f28 1e8c7',
  lO: '42e',
  ll: '1c1 5f0 2016 2225',
  ls: '2aa',
  lt: '20b6',
  lz: '2ab',
  n: '578 57c',
  o:
    '3bf 3c3 43e 585 5e1 647 665 6be 6c1 6d5 6f5 966 a66 ae6 be6 c02 c66 c82 ce6 d02 d20 d66 d82 e50 ed0 101d ' +
    '1040 10ff 1d0f 1d11 2c9f ab3d 1042c 104ea 118c8 118d7',
  oe: '153',
  oo: '221e a699 a74f',
  p: '3c1 440 2374 2ca3',
  q: '51b 563 566',
  r: '433 1d26 2c85 ab47 ab48 ab81',
  rn: '11700 118e3',
  s: '1bd 455 a731 abaa 10448 118c1',
  sss: '1f75c',
  tf: 'a777',
  ts: '2a6',
  u: '28b 3c5 57d 1d1c a79f ab4e ab52 104f6 118d8',
  ue: '1d6b',
  uo: 'ab63',
  v: '3bd 475 5d8 1d20 2228 22c1 aba9 11706 118c0',
  w: '26f 461 51d 561 1d21 ab83 1170a 1170e 1170f',
  x: 'd7 445 1541 157d 166e 292b 292c 2a2f',
  y: '263 28f 3b3 443 4af 10e7 1d8c 1eff ab5a 118dc',
  z: '1d22 ab93 118c4',
};

/** ASCII characters that UTS #39 takes for one another: a skeleton holds only the right-hand side. */
const ASCII: ReadonlyMap<string, string> = new Map([
  ['0', 'O'],
  ['1', 'l'],
  ['I', 'l'],
  ['m', 'rn'],
]);

const prototypes = new Map<string, string>();
for (const [target, codePoints] of Object.entries(LOOKS_LIKE)) {
  for (const hex of codePoints.split(' ')) prototypes.set(String.fromCodePoint(Number.parseInt(hex, 16)), target);
}

/**
 * What one character looks like, as ASCII where it looks like ASCII, else as itself, compatibility-normalised.
 * The result is not yet a skeleton: a delimiter can still be told from a letter that resembles it.
 */
export function lookOf(character: string): string {
  const code = character.charCodeAt(0);
  if (code < 0x80) return character;
  let look = '';
  for (const part of character.normalize('NFKC')) look += prototypes.get(part) ?? part;
  return look;
}

/** The skeleton of a text (UTS #39): two texts with one skeleton look alike. For comparison, never for display. */
export function skeleton(text: string): string {
  let result = '';
  for (const character of text) {
    for (const part of lookOf(character)) result += ASCII.get(part) ?? part;
  }
  return result.normalize('NFD');
}
