// Texts by their characters as Python counts them: one that JavaScript keeps in two halves is one.

const halves = /[\uD800-\uDFFF]/;

/** `len(text)`, without a list of its characters. */
export function lengthOf(text: string): number {
  if (!halves.test(text)) return text.length;
  let count = 0;
  for (const _ of text) count++;
  return count;
}

/** `text[place]`; a negative place counts from the end. */
export function characterAt(text: string, place: number): string | undefined {
  if (!halves.test(text)) return text.at(place);
  let left = place < 0 ? place + lengthOf(text) : place;
  if (left < 0) return undefined;
  for (const character of text) if (left-- === 0) return character;
  return undefined;
}
