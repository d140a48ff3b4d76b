// The names that a text would read when it is filled; rather one too many than one too few.
const known = new Map<string, readonly string[]>();
const none: readonly string[] = [];

export function placeholdersIn(text: unknown): readonly string[] {
  if (typeof text !== 'string' || !text.includes('{')) return none;
  const before = known.get(text);
  if (before) return before;
  const inner = [...text.matchAll(/\{([^{}]+)\}/g)].map(([, content = '']) => content);
  const names = inner.flatMap((content) => [...content.matchAll(/[A-Za-z_][A-Za-z0-9_-]*/g)].map(([name]) => name));
  // The same texts come again with every recipe that imports them; a flood of others must not stay.
  if (known.size > 5_000) known.clear();
  known.set(text, names);
  return names;
}
