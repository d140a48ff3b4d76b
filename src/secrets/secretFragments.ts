// Finds the parts of a value that must be masked: the whole value, and parts that are secrets of their own.

/** A shorter line of a key file may also appear in other text. */
const minLineLength = 16;
/** The greatest depth to which JSON is searched that is a string inside other JSON. */
const maxDepth = 4;
const pemHeader = /^-----(?:BEGIN|END) .*-----$|^(?:Proc-Type|DEK-Info|Version|Comment): /;

/** Ignores white space around a value, because a file ends with a line break, but programs often print a secret without one. */
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

/** Returns the strings in a JSON object or array, or undefined for any other text. */
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
    // SyntaxError: the text only looks like JSON.
    return undefined;
  }
}

const minSecretLength = 6;

/** Words that programs print anyway. A mask in their place would reveal the secret. */
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

/** Returns the reason why a value is too weak to be masked, or undefined. The reason does not contain the value. */
export function findWeakness(value: string): string | undefined {
  const text = value.trim();
  const characters = new Set(text);
  if ([...text].length < minSecretLength)
    return `The value has fewer than ${minSecretLength} characters, so its mask would also hide parts of other text. Use a longer value.`;
  if (characters.size === 1) return 'The value is one character repeated, which other text may contain, too. Use another value.';
  if (commonWords.has(text.toLowerCase())) return 'The value is a word that programs print by themselves. Use another value.';
  return undefined;
}
