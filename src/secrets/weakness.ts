// Values that would not stay secret by masking, or whose mask would spoil everything else.
const shortest = 6;

/** Words that programs print by themselves: masking them would say more about the secret than it hides. */
const common = new Set([
  ...['password', 'passwd', 'secret', 'changeme', 'username', 'localhost', '127.0.0.1', 'default', 'example'],
  ...['undefined', 'boolean', 'number', 'object', 'string', 'function', '[object object]'],
]);

/** Why a value is refused as a secret, without showing it; undefined when it is not. White space around it does not count. */
export function weakness(value: string): string | undefined {
  const text = value.trim();
  const characters = new Set(text);
  if ([...text].length < shortest)
    return `It has fewer than ${shortest} characters: masking it would also hide parts of other texts. Use a longer value.`;
  if (characters.size === 1) return 'It is one character repeated, which other texts have too. Use another value.';
  if (common.has(text.toLowerCase())) return 'It is a word that programs print by themselves. Use another value.';
  return undefined;
}
