// Lists the spellings of a value that recipewright masks. The matcher ignores case, and escape sequences between the characters.
// Not masked (see docs/reliability.md): a value that is reversed, compressed, encrypted, in UTF-16, or interrupted by other text.
import { escapeControls, oneLine } from '../document/printFinding.js';

type Encode = (text: string) => string;

export function listSpellings(value: string): Set<string> {
  const spellings = new Set<string>();
  for (const text of listVariants(value)) {
    for (const encode of encoders) spellings.add(encode(text));
    for (const core of [...base64Fragments(text), ...base32Fragments(text)]) spellings.add(core);
  }
  return spellings;
}

/** Returns the value as other programs change it before they encode it, and as the output of recipewright shows it. */
function listVariants(text: string): Set<string> {
  const lines = text.replaceAll('\r\n', '\n');
  const cases = [text, text.toUpperCase(), text.toLowerCase(), text.normalize('NFC'), text.normalize('NFD')];
  return new Set([...cases, lines, lines.replaceAll('\n', '\r\n'), escapeControls(text), oneLine(text)]);
}

const chain =
  (first: Encode, second: Encode): Encode =>
  (text) =>
    second(first(text));

const replaceEach =
  (pattern: RegExp, by: (found: string) => string): Encode =>
  (text) =>
    text.replace(pattern, by);

const mapHexBytes = (text: string, by: (hex: string) => string): string => Buffer.from(text).toString('hex').replace(/../g, by);

const controlEscapes: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };
const unicodeEscape = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
const unicodeEscapes = (text: string): string => text.split('').map(unicodeEscape).join('');

const jsonText: Encode = (text) => JSON.stringify(text).slice(1, -1);
const jsonOnce: readonly Encode[] = [
  jsonText,
  chain(jsonText, (text) => text.replaceAll('/', '\\/')),
  chain(jsonText, replaceEach(/[^ -~]/g, unicodeEscape)),
  // Go, Rails, .NET and PHP escape JSON for use inside HTML.
  chain(jsonText, replaceEach(/[<>&\u2028\u2029]/g, unicodeEscape)),
  chain(jsonText, replaceEach(/[<>&'\u2028\u2029]/g, unicodeEscape)),
  replaceEach(/["\\<>&'+`]|[^ -~]/g, (found) => (found === '\\' ? '\\\\' : (controlEscapes[found] ?? unicodeEscape(found)))),
  unicodeEscapes,
];
const jsonTwice = jsonOnce.map((once) => chain(once, jsonText));

/** Percent-encodes the matches of `pattern`. Unlike encodeURIComponent, this does not throw for a lone surrogate. */
const percent = (pattern: RegExp): Encode => replaceEach(pattern, (found) => mapHexBytes(found, (hex) => `%${hex}`));
const componentPercent = percent(/[^\w.~!*'()-]/gu);
const strictPercent = percent(/[^\w.~-]/gu);
const formPercent = chain(percent(/[^\w*. -]/gu), (text) => text.replaceAll(' ', '+'));
const percentEverything: Encode = (text) => mapHexBytes(text, (hex) => `%${hex}`);
const uriEncoders: readonly Encode[] = [
  componentPercent,
  strictPercent,
  formPercent,
  percentEverything,
  percent(/[^\w.~!*'();,/?:@&=+$#-]/gu),
  percent(/[^\w.~/-]/gu),
  // The encodings of a browser for the query, the path and the user of a URL.
  percent(/[^!$-&(-;=?-~]/gu),
  percent(/[^!$-;=@-\]_a-z|~]/gu),
  percent(/[^!$-.0-9A-Z_a-z~]/gu),
  chain(componentPercent, componentPercent),
  chain(strictPercent, strictPercent),
  chain(formPercent, formPercent),
  chain(formPercent, componentPercent),
  chain(percentEverything, componentPercent),
  chain(jsonText, componentPercent),
  chain(jsonText, formPercent),
];

// A page without a charset encodes the query and the body of a form in windows-1252. A table is needed, because the decoder of Node 20
// treats windows-1252 like ISO-8859-1.
const westernSpecials = [...'€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ'];
const westernBytes = new Map(
  Array.from({ length: 128 }, (_, index) => {
    const byte = 128 + index;
    return [westernSpecials[index] ?? String.fromCharCode(byte), `%${byte.toString(16)}`];
  }),
);
const westernPercent: Encode = replaceEach(/[^ -~]/gu, (found) => westernBytes.get(found) ?? `%26%23${found.codePointAt(0)}%3b`);
const percentWestern = (pattern: RegExp): Encode => chain(percent(pattern), westernPercent);
const legacyEncoders: readonly Encode[] = [
  chain(percentWestern(/[^\w*. \u0080-\u{10ffff}-]/gu), (text) => text.replaceAll(' ', '+')),
  percentWestern(/[^\w.~!*'()\u0080-\u{10ffff}-]/gu),
  percentWestern(/[^!$-&(-;=?-~\u0080-\u{10ffff}]/gu),
];

const numericEntities = (code: string): Encode => replaceEach(/[\s\S]/gu, (found) => numeric(found, code));
const numeric = (found: string, code: string): string => {
  const point = found.codePointAt(0) ?? 0;
  return code === 'x' ? `&#x${point.toString(16)};` : `&#${point};`;
};
const namedEntities = (names: Readonly<Record<string, string>>): Encode =>
  replaceEach(/[&<>"'`=/]/g, (found) => (Object.hasOwn(names, found) ? `&${names[found]};` : found));
const contentEntities = { '&': 'amp', '<': 'lt', '>': 'gt' };
const attributeEntities = { ...contentEntities, '"': 'quot' };
const htmlEncoders: readonly Encode[] = [
  namedEntities(contentEntities),
  namedEntities({ '&': 'amp', '"': 'quot' }),
  namedEntities(attributeEntities),
  ...['#39', '#039', '#x27', 'apos'].map((quote) => namedEntities({ ...attributeEntities, "'": quote })),
  namedEntities({ ...contentEntities, '"': '#34', "'": '#39' }),
  namedEntities({ ...attributeEntities, "'": '#39', '/': '#x2f', '`': '#x60', '=': '#x3d' }),
  namedEntities({ ...attributeEntities, "'": '#39', '/': '#47', '`': '#96', '=': '#61' }),
];
const markupEncoders: readonly Encode[] = [
  ...htmlEncoders,
  ...['', 'x'].map(numericEntities),
  ...['', 'x'].map((code) =>
    chain(
      namedEntities({ ...attributeEntities, "'": '#39' }),
      replaceEach(/[^ -~\n]/gu, (found) => numeric(found, code)),
    ),
  ),
  chain(namedEntities(attributeEntities), namedEntities(attributeEntities)),
  ...htmlEncoders.map((encode) => chain(jsonText, encode)),
];

const backslash = (pattern: RegExp): Encode => replaceEach(pattern, (found) => controlEscapes[found] ?? `\\${found}`);
const octal = replaceEach(/[^ -~\n\r\t]/gu, (found) =>
  mapHexBytes(found, (hex) => `\\${Number.parseInt(hex, 16).toString(8).padStart(3, '0')}`),
);
const ansiQuoted = backslash(/[\\'\n\r\t]/g);
const shellEncoders: readonly Encode[] = [
  (text) => text.replaceAll("'", "'\\''"),
  (text) => text.replaceAll("'", `'"'"'`),
  replaceEach(/[$`"\\]/g, (found) => `\\${found}`),
  replaceEach(/[$`"\\!]/g, (found) => `\\${found}`),
  replaceEach(/[^\w@%+=:,./\u0080-\u{10ffff}-]/gu, (found) => (found === '\n' ? "$'\\n'" : `\\${found}`)),
  ansiQuoted,
  chain(ansiQuoted, octal),
  chain(
    ansiQuoted,
    replaceEach(/[^ -~]/gu, (found) => mapHexBytes(found, (hex) => `\\x${hex}`)),
  ),
  // Windows: both kinds of quotes in PowerShell, the caret of cmd, and doubled quotes, which CSV also has.
  (text) => text.replaceAll("'", "''"),
  (text) => text.replaceAll('"', '""'),
  (text) => text.replaceAll('"', '\\"'),
  replaceEach(/[`"$]/g, (found) => `\`${found}`),
  replaceEach(/[&|<>^"%!()]/g, (found) => `^${found}`),
];

const hexEncoders: readonly Encode[] = [
  (text) => mapHexBytes(text, (hex) => hex),
  (text) => mapHexBytes(text, (hex) => `\\x${hex}`),
  ...[':', ' ', '-'].map(
    (mark): Encode =>
      (text) =>
        mapHexBytes(text, (hex) => `${mark}${hex}`).slice(1),
  ),
];

const encoders: readonly Encode[] = [
  (text) => text,
  ...jsonOnce,
  ...jsonTwice,
  chain(chain(jsonText, jsonText), jsonText),
  ...uriEncoders,
  ...legacyEncoders,
  ...legacyEncoders.map((encode) => chain(encode, componentPercent)),
  ...markupEncoders,
  ...shellEncoders,
  ...shellEncoders.map((encode) => chain(encode, jsonText)),
  ...hexEncoders,
];

/** An encoding such as base64. Of a value inside longer data, only those characters can be found that do not depend on its neighbours. */
type Base = { alphabet: string; bits: number; group: number };

const upper = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
const base64: Base = { alphabet: `${upper}${upper.toLowerCase()}0123456789+/`, bits: 6, group: 3 };
const base32: Base = { alphabet: `${upper}234567`, bits: 5, group: 5 };

/** A shorter fragment may appear in text without a secret. */
const minFragmentLength = 6;

function base64Fragments(text: string): string[] {
  const cores = findFragments(Buffer.from(text), base64);
  const spellings = cores.flatMap((core) => [
    core,
    core.replaceAll('+', '-').replaceAll('/', '_'),
    core.replaceAll('+', '%2B').replaceAll('/', '%2F'),
    core.replaceAll('/', '\\/'),
  ]);
  return [...spellings, ...wrapLines(cores[0] ?? '')];
}

function base32Fragments(text: string): string[] {
  return findFragments(Buffer.from(text), base32);
}

function findFragments(bytes: Uint8Array, { alphabet, bits, group }: Base): string[] {
  const cores: string[] = [];
  for (let before = 0; before < group; before++) {
    const first = Math.ceil((before * 8) / bits) * bits - before * 8;
    let core = '';
    for (let bit = first; bit + bits <= bytes.length * 8; bit += bits) core += alphabet[bitsAt(bytes, bit, bits)];
    if (core.length >= minFragmentLength) cores.push(core);
  }
  return cores;
}

function bitsAt(bytes: Uint8Array, bit: number, count: number): number {
  const at = bit >> 3;
  const pair = ((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0);
  return (pair >> (16 - (bit & 7) - count)) & ((1 << count) - 1);
}

/** Breaks base64 into lines, as the program base64 and MIME do. Finds only a value at the beginning of the data. */
function wrapLines(core: string): string[] {
  return [64, 76].flatMap((width) => {
    const lines = core.match(new RegExp(`.{1,${width}}`, 'g')) ?? [];
    return lines.length < 2 ? [] : ['\n', '\r\n', '\\n', '\\r\\n'].map((end) => lines.join(end));
  });
}
