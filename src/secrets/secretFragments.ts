// Finds the parts of a value that must be masked: the whole, and the pieces that are secrets by themselves.

/** A shorter line of a key file is too likely to appear in other text. */
const minLineLength = 16;
/** JSON inside JSON inside JSON … */
const maxDepth = 4;
const pemHeader = /^-----(?:BEGIN|END) .*-----$|^(?:Proc-Type|DEK-Info|Version|Comment): /;

/** White space around a value is dropped: a file ends with a line break, and programs often print a secret without it. */
export function findSecretFragments(value: string, depth = 0): Set<string> {
  const text = value.trim();
  const leaves = depth < maxDepth ? collectStrings(text) : undefined;
  const pieces = leaves ? leaves.flatMap((leaf) => [...findSecretFragments(leaf, depth + 1)]) : findSecretLines(text);
  const unquoted = /^(["'`])([\s\S]*)\1$/.exec(text)?.[2]?.trim() ?? text;
  return new Set([text, unquoted, ...pieces].filter((part) => findWeakness(part) === undefined));
}

function findSecretLines(text: string): string[] {
  if (!text.includes('\n')) return [];
  const lines = text.split('\n').map((line) => line.trim());
  return lines.filter((line) => line.length >= minLineLength && !pemHeader.test(line));
}

/** The texts inside a JSON object or array; undefined for any other value. */
function collectStrings(text: string): string[] | undefined {
  if (!/^[[{]/.test(text)) return undefined;
  const open = [tryParseJson(text)];
  if (open[0] === undefined) return undefined;
  const strings: string[] = [];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (typeof next === 'string') strings.push(next);
    else if (typeof next === 'object' && next !== null) for (const inner of Object.values(next)) open.push(inner);
  }
  return strings;
}

function tryParseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // SyntaxError: it only looks like JSON.
    return undefined;
  }
}

const minSecretLength = 6;

/** Words that programs print by themselves. Masking them would tell more about the secret than it hides. */
const commonWords = new Set([
  'password',
  'passwd',
  'secret',
  'changeme',
  'username',
  'localhost',
  '127.0.0.1',
  'default',
  'example',
  'undefined',
  'boolean',
  'number',
  'object',
  'string',
  'function',
  '[object object]',
]);

/** Why a value cannot be a secret, because its mask would hide too much or too little. The text does not contain the value. */
export function findWeakness(value: string): string | undefined {
  const text = value.trim();
  const characters = new Set(text);
  if ([...text].length < minSecretLength)
    return `It has fewer than ${minSecretLength} characters: masking it would also hide parts of other texts. Use a longer value.`;
  if (characters.size === 1) return 'It is one character repeated, which other texts have too. Use another value.';
  if (commonWords.has(text.toLowerCase())) return 'It is a word that programs print by themselves. Use another value.';
  return undefined;
}
