// Explains at which place and why a text stops being JSON, and what to do about common mistakes.
import { type Expected, type Outline, type Stop, wordAt } from './outlineText.js';

export type SyntaxExplanation = { message: string; hint: string };

/** Describes a place of the text, for example `line 3, column 7`. */
export type DescribePlace = (offset: number) => string;

/** `opener`: the offset of the bracket of the innermost open container. */
type Mistake = Stop & { text: string; char: string; word: string; opener: number | undefined; describePlace: DescribePlace };
type Rule = (mistake: Mistake) => [message: string, hint: string] | undefined;

export function explainStop(text: string, outline: Outline, describePlace: DescribePlace): SyntaxExplanation {
  const stop: Stop = outline.stop ?? { offset: 0, expected: 'end', start: 0, key: undefined };
  const container = outline.open.at(-1);
  const code = text.codePointAt(stop.offset);
  const mistake: Mistake = {
    ...stop,
    text,
    describePlace,
    char: code === undefined ? '' : String.fromCodePoint(code),
    word: wordAt(text, stop.offset),
    opener: container === undefined ? undefined : outline.values[container],
  };
  for (const rule of rules) {
    const explanation = rule(mistake);
    if (explanation) return { message: `The file is not valid JSON: ${explanation[0]}.`, hint: explanation[1] };
  }
  const message = `The file is not valid JSON: found ${describeFound(mistake)} where ${describeExpected(mistake)} was expected.`;
  return { message, hint: 'Remove it, or write the missing part before it.' };
}

const emptyFile: Rule = ({ char, expected, opener }) => {
  return char === '' && expected === 'value' && opener === undefined
    ? ['it is empty', 'Write one JSON object: { … }.']
    : undefined;
};

const unclosedString: Rule = ({ expected, char, start, describePlace }) => {
  if (expected !== 'closing quote') return undefined;
  const where = `the string that begins at ${describePlace(start)}`;
  if (char === '') return [`${where} is not closed`, 'Write a double quote at the end of the string.'];
  if (char === '\n' || char === '\r') {
    return [`the line ends inside ${where}`, 'Close the string with a double quote, or write the line break as \\n.'];
  }
  return [`${codePoint(char)} is inside ${where}`, `Write the character as ${JSON.stringify(char).slice(1, -1)}, or remove it.`];
};

const badEscape: Rule = ({ expected, text, offset }) => {
  if (expected !== 'escape') return undefined;
  const sequence = text.slice(offset, offset + (text[offset + 1] === 'u' ? 6 : 2));
  const hint =
    'Write a backslash as \\\\. The escapes of JSON are \\" \\\\ \\/ \\b \\f \\n \\r \\t and \\u with four hexadecimal digits.';
  return [`${quote(sequence)} is not an escape`, hint];
};

const endOfFile: Rule = (mistake) => {
  const { char, opener, text, describePlace } = mistake;
  if (char !== '' || opener === undefined) return undefined;
  const open = text[opener] ?? '';
  const hint = `Add the missing part, and close the bracket with ${quote(closingBracket(open))}.`;
  return [
    `the file ends where ${describeExpected(mistake)} was expected, and the ${quote(open)} at ${describePlace(opener)} is not closed`,
    hint,
  ];
};

const comment: Rule = ({ text, offset }) => {
  return /^(?:\/\/|\/\*|#|<!--)/.test(text.slice(offset, offset + 4))
    ? ['a comment begins here', 'JSON has no comments. Remove the comment.']
    : undefined;
};

const trailingComma: Rule = ({ char, expected, text, offset, describePlace }) => {
  if ((char !== '}' && char !== ']') || (expected !== 'key' && expected !== 'value')) return undefined;
  const comma = lastNonSpaceBefore(text, offset);
  if (text[comma] !== ',') return undefined;
  return [
    `there is a comma before the closing ${quote(char)}`,
    `Remove the comma at ${describePlace(comma)}, or add the missing part after it.`,
  ];
};

const wrongQuotes: Rule = ({ char, expected }) => {
  if (char === '' || !"'`‘’‚“”„«»".includes(char) || expected === 'end') return undefined;
  return [`found the quotation mark ${char}`, 'Write JSON strings and keys in plain double quotes: "…".'];
};

const invisibleCharacter: Rule = ({ char }) => {
  return /[\p{C}\p{Z}]/u.test(char)
    ? [`there is an invisible character, ${codePoint(char)}`, 'Remove the character, or replace it by a plain space.']
    : undefined;
};

const textAfterEnd: Rule = (mistake) => {
  if (mistake.expected !== 'end') return undefined;
  return [
    `found ${describeFound(mistake)} after the end of the document`,
    'A file has one document. Remove everything after its end.',
  ];
};

const wrongCloser: Rule = (mistake) => {
  const { char, expected, opener, text, describePlace } = mistake;
  if ((char !== '}' && char !== ']') || expected !== 'comma' || opener === undefined) return undefined;
  const open = text[opener] ?? '';
  const hint = `Close the ${quote(open)} at ${describePlace(opener)} with ${quote(closingBracket(open))}.`;
  return [`found ${quote(char)} where ${describeExpected(mistake)} was expected`, hint];
};

const missingComma: Rule = (mistake) => {
  const startsValue = mistake.word !== '' || '"{['.includes(mistake.char);
  if (mistake.expected !== 'comma' || !startsValue) return undefined;
  const hint = 'Put a comma before it. If it is part of the string before, write the double quote in that string as \\".';
  return [`a comma is missing before ${describeFound(mistake)}`, followsString(mistake) ? hint : 'Put a comma before it.'];
};

const missingColon: Rule = (mistake) => {
  if (mistake.expected !== 'colon') return undefined;
  return [`found ${describeFound(mistake)} where ":" was expected`, 'Put a colon between the key and its value.'];
};

const bareKey: Rule = ({ expected, word }) => {
  if (!expected.endsWith('key') || word === '') return undefined;
  return [`the key ${shorten(word)} is not in quotes`, `Write ${quote(word)}.`];
};

const wrongWord: Rule = ({ word }) => (word === '' ? undefined : explainWord(word));

const rules: readonly Rule[] = [
  emptyFile,
  unclosedString,
  badEscape,
  endOfFile,
  comment,
  trailingComma,
  wrongQuotes,
  invisibleCharacter,
  textAfterEnd,
  wrongCloser,
  missingComma,
  missingColon,
  bareKey,
  wrongWord,
];

const expectedWords: Record<Expected, string> = {
  value: 'a value',
  item: 'a value or "]"',
  key: 'a key in double quotes',
  'first key': 'a key in double quotes or "}"',
  colon: '":"',
  comma: '","',
  end: 'the end of the file',
  'closing quote': 'a double quote',
  escape: 'an escape',
};

function describeExpected({ expected, opener, text }: Mistake): string {
  const closer = expected === 'comma' && opener !== undefined ? ` or ${quote(closingBracket(text[opener] ?? ''))}` : '';
  return expectedWords[expected] + closer;
}

function followsString({ text, offset }: Mistake): boolean {
  return text[lastNonSpaceBefore(text, offset)] === '"';
}

function describeFound({ char, word }: Mistake): string {
  return char === '"' ? 'a string' : word === '' ? quote(char) : shorten(word);
}

function quote(text: string): string {
  return `"${shorten(text)}"`;
}

function codePoint(char: string): string {
  return `U+${(char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}

function closingBracket(opener: string): string {
  return opener === '{' ? '}' : ']';
}

function lastNonSpaceBefore(text: string, offset: number): number {
  let at = offset - 1;
  while (at > 0 && /\s/.test(text[at] ?? '')) at--;
  return at;
}

// Values of other languages, with the JSON value for each.
const jsonSpellings = new Map([
  ...['True', 'TRUE', 'yes', 'on'].map((word) => [word, 'true'] as const),
  ...['False', 'FALSE', 'no', 'off'].map((word) => [word, 'false'] as const),
  ...['None', 'nil', 'NULL', 'Null'].map((word) => [word, 'null'] as const),
]);

function explainWord(word: string): [message: string, hint: string] {
  const message = `${shorten(word)} is not a JSON value`;
  if (/^[+-]?(?:NaN|Infinity)$/.test(word)) return [message, 'JSON has neither NaN nor Infinity. Write a number, or null.'];
  if (word === 'undefined') return [message, 'Write null, or remove the key.'];
  if (/^[+-]?0[xXoObB]/.test(word)) return [message, 'Write the number with decimal digits.'];
  const value = jsonSpellings.get(word);
  if (value) return [message, `Write ${value}, or write a string in double quotes.`];
  if (!/^[+.0-9-]/.test(word)) return [message, `Write a string in double quotes: "${shorten(word)}".`];
  return [message, 'Write a number like 12, -0.5 or 1e3: no plus sign, no leading zero, digits around the point.'];
}

function shorten(text: string): string {
  return text.length > 40 ? `${text.slice(0, 40)}…` : text;
}
