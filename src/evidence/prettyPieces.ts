// A document as `JSON.stringify(value, null, 2)` would print it, a piece at a time: one string of it may be larger than all the rest.
const deepest = 4;

export function* prettyPieces(value: unknown): Generator<string, void> {
  yield* pieces(value, '', 0);
  yield '\n';
}

function* pieces(value: unknown, pad: string, depth: number): Generator<string, void> {
  const isOpen = depth < deepest && typeof value === 'object' && value !== null && !Array.isArray(value);
  const keys = isOpen ? Object.keys(value).filter((key) => (value as Record<string, unknown>)[key] !== undefined) : [];
  if (!isOpen || keys.length === 0) {
    yield JSON.stringify(value, null, 2).replaceAll('\n', `\n${pad}`);
    return;
  }
  const inner = `${pad}  `;
  let before = '{';
  for (const key of keys) {
    yield `${before}\n${inner}${JSON.stringify(key)}: `;
    yield* pieces((value as Record<string, unknown>)[key], inner, depth + 1);
    before = ',';
  }
  yield `\n${pad}}`;
}
