// What to write instead of a word that is no JSON: most of them are values in some other language.
const spellings = new Map([
  ...['True', 'TRUE', 'yes', 'on'].map((word) => [word, 'true'] as const),
  ...['False', 'FALSE', 'no', 'off'].map((word) => [word, 'false'] as const),
  ...['None', 'nil', 'NULL', 'Null'].map((word) => [word, 'null'] as const),
]);

export function explainWord(word: string): [what: string, hint: string] {
  const what = `${shorten(word)} is no JSON value`;
  if (/^[+-]?(?:NaN|Infinity)$/.test(word)) return [what, 'JSON has no NaN and no Infinity. Write a number, or null.'];
  if (word === 'undefined') return [what, 'Write null, or leave the key out.'];
  if (/^[+-]?0[xXoObB]/.test(word)) return [what, 'Write the number with decimal digits.'];
  const meant = spellings.get(word);
  if (meant) return [what, `Write ${meant}; text stands in double quotes.`];
  if (!/^[+.0-9-]/.test(word)) return [what, `Text stands in double quotes: "${shorten(word)}".`];
  return [what, 'Write a number like 12, -0.5 or 1e3: no plus sign, no leading zero, digits around the point.'];
}

export function shorten(words: string): string {
  return words.length > 40 ? `${words.slice(0, 40)}…` : words;
}
