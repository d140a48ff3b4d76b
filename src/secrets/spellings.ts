// Every spelling of a value that is masked. Upper and lower case and escape sequences between the characters are the matcher's part.
// Not covered, and documented so: reversed, compressed, encrypted, UTF-16, cut into pieces by something else than a terminal's colours.
import { escapeControls, oneLine } from '../document/printFinding.js';
import { base32Cores, base64Cores } from './cores.js';

type Encode = (text: string) => string;

export function spellings(value: string): Set<string> {
  const spelled = new Set<string>();
  for (const text of variants(value)) {
    for (const encode of encoders) spelled.add(encode(text));
    for (const core of [...base64Cores(text), ...base32Cores(text)]) spelled.add(core);
  }
  return spelled;
}

/** The same value as other programs pass it on before they encode it, and as our own printers show it. */
function variants(text: string): Set<string> {
  const lines = text.replaceAll('\r\n', '\n');
  const cases = [text, text.toUpperCase(), text.toLowerCase(), text.normalize('NFC'), text.normalize('NFD')];
  return new Set([...cases, lines, lines.replaceAll('\n', '\r\n'), escapeControls(text), oneLine(text)]);
}

const then =
  (first: Encode, second: Encode): Encode =>
  (text) =>
    second(first(text));

const replacing =
  (pattern: RegExp, by: (found: string) => string): Encode =>
  (text) =>
    text.replace(pattern, by);

const bytesOf = (text: string, by: (hex: string) => string): string => Buffer.from(text).toString('hex').replace(/../g, by);

const control: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };
const unitOf = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
const units = (text: string): string => text.split('').map(unitOf).join('');

const json: Encode = (text) => JSON.stringify(text).slice(1, -1);
const jsonOnce: readonly Encode[] = [
  json,
  then(json, (text) => text.replaceAll('/', '\\/')),
  then(json, replacing(/[^ -~]/g, unitOf)),
  // Go, Rails, .NET and PHP keep JSON safe inside of HTML.
  then(json, replacing(/[<>&\u2028\u2029]/g, unitOf)),
  then(json, replacing(/[<>&'\u2028\u2029]/g, unitOf)),
  replacing(/["\\<>&'+`]|[^ -~]/g, (found) => (found === '\\' ? '\\\\' : (control[found] ?? unitOf(found)))),
  units,
];
const jsonTwice = jsonOnce.map((once) => then(once, json));

/** What matches as %XX; never throws, as encodeURIComponent does on half a surrogate pair. */
const percent = (pattern: RegExp): Encode => replacing(pattern, (found) => bytesOf(found, (hex) => `%${hex}`));
const component = percent(/[^\w.~!*'()-]/gu);
const strict = percent(/[^\w.~-]/gu);
const form = then(percent(/[^\w*. -]/gu), (text) => text.replaceAll(' ', '+'));
const everything: Encode = (text) => bytesOf(text, (hex) => `%${hex}`);
const uri: readonly Encode[] = [
  ...[component, strict, form, everything],
  percent(/[^\w.~!*'();,/?:@&=+$#-]/gu),
  percent(/[^\w.~/-]/gu),
  // What a browser does to the query, the path and the user of a URL.
  percent(/[^!$-&(-;=?-~]/gu),
  percent(/[^!$-;=@-\]_a-z|~]/gu),
  percent(/[^!$-.0-9A-Z_a-z~]/gu),
  ...[then(component, component), then(strict, strict), then(form, form), then(form, component), then(everything, component)],
  ...[then(json, component), then(json, form)],
];

// What a page without a charset of its own does to the query and the body of a form: a byte per character where there is one.
// Spelled out: the decoder of Node 20 takes windows-1252 for ISO-8859-1.
const westernSpecials = [...'€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ'];
const westernBytes = new Map(
  Array.from({ length: 128 }, (_, index) => {
    const byte = 128 + index;
    return [westernSpecials[index] ?? String.fromCharCode(byte), `%${byte.toString(16)}`];
  }),
);
const western: Encode = replacing(/[^ -~]/gu, (found) => westernBytes.get(found) ?? `%26%23${found.codePointAt(0)}%3b`);
const keepingPercent = (pattern: RegExp): Encode => then(percent(pattern), western);
const legacy: readonly Encode[] = [
  then(keepingPercent(/[^\w*. \u0080-\u{10ffff}-]/gu), (text) => text.replaceAll(' ', '+')),
  keepingPercent(/[^\w.~!*'()\u0080-\u{10ffff}-]/gu),
  keepingPercent(/[^!$-&(-;=?-~\u0080-\u{10ffff}]/gu),
];

const entity = (code: string): Encode => replacing(/[\s\S]/gu, (found) => numeric(found, code));
const numeric = (found: string, code: string): string => {
  const point = found.codePointAt(0) ?? 0;
  return code === 'x' ? `&#x${point.toString(16)};` : `&#${point};`;
};
const named = (names: Readonly<Record<string, string>>): Encode =>
  replacing(/[&<>"'`=/]/g, (found) => (Object.hasOwn(names, found) ? `&${names[found]};` : found));
const content = { '&': 'amp', '<': 'lt', '>': 'gt' };
const attribute = { ...content, '"': 'quot' };
const html: readonly Encode[] = [
  named(content),
  named({ '&': 'amp', '"': 'quot' }),
  named(attribute),
  ...['#39', '#039', '#x27', 'apos'].map((quote) => named({ ...attribute, "'": quote })),
  named({ ...content, '"': '#34', "'": '#39' }),
  named({ ...attribute, "'": '#39', '/': '#x2f', '`': '#x60', '=': '#x3d' }),
  named({ ...attribute, "'": '#39', '/': '#47', '`': '#96', '=': '#61' }),
];
const markup: readonly Encode[] = [
  ...html,
  ...['', 'x'].map(entity),
  ...['', 'x'].map((code) =>
    then(
      named({ ...attribute, "'": '#39' }),
      replacing(/[^ -~\n]/gu, (found) => numeric(found, code)),
    ),
  ),
  then(named(attribute), named(attribute)),
  ...html.map((encode) => then(json, encode)),
];

const backslash = (pattern: RegExp): Encode => replacing(pattern, (found) => control[found] ?? `\\${found}`);
const octal = replacing(/[^ -~\n\r\t]/gu, (found) =>
  bytesOf(found, (hex) => `\\${Number.parseInt(hex, 16).toString(8).padStart(3, '0')}`),
);
const quoted = backslash(/[\\'\n\r\t]/g);
const shell: readonly Encode[] = [
  (text) => text.replaceAll("'", "'\\''"),
  (text) => text.replaceAll("'", `'"'"'`),
  replacing(/[$`"\\]/g, (found) => `\\${found}`),
  replacing(/[$`"\\!]/g, (found) => `\\${found}`),
  replacing(/[^\w@%+=:,./\u0080-\u{10ffff}-]/gu, (found) => (found === '\n' ? "$'\\n'" : `\\${found}`)),
  ...[
    quoted,
    then(quoted, octal),
    then(
      quoted,
      replacing(/[^ -~]/gu, (found) => bytesOf(found, (hex) => `\\x${hex}`)),
    ),
  ],
  // Windows: PowerShell's two kinds of quotes, cmd's caret, and the doubled quote that CSV has too.
  (text) => text.replaceAll("'", "''"),
  (text) => text.replaceAll('"', '""'),
  (text) => text.replaceAll('"', '\\"'),
  replacing(/[`"$]/g, (found) => `\`${found}`),
  replacing(/[&|<>^"%!()]/g, (found) => `^${found}`),
];

const hexes: readonly Encode[] = [
  (text) => bytesOf(text, (hex) => hex),
  (text) => bytesOf(text, (hex) => `\\x${hex}`),
  ...[':', ' ', '-'].map(
    (mark): Encode =>
      (text) =>
        bytesOf(text, (hex) => `${mark}${hex}`).slice(1),
  ),
];

const encoders: readonly Encode[] = [
  ...[(text: string) => text, ...jsonOnce, ...jsonTwice, then(then(json, json), json)],
  ...[
    ...uri,
    ...legacy,
    ...legacy.map((encode) => then(encode, component)),
    ...markup,
    ...shell,
    ...shell.map((encode) => then(encode, json)),
    ...hexes,
  ],
];
