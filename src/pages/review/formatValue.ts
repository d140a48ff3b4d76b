// Formats values of a run for pages. Long values are shortened, but never in the middle of a character.

const maxLength = 4_000;
const maxInlineLength = 300;

/** The beginning of a value that is too long to show. */
class TruncatedValue {
  constructor(readonly text: string) {}
  toJSON(): string {
    return this.text;
  }
}

export function formatValue(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? String(value));
  return truncateText(text, maxLength);
}

export function formatInlineValue(value: unknown): string {
  return value instanceof TruncatedValue ? value.text : truncateText(JSON.stringify(value) ?? String(value), maxInlineLength);
}

/** Shortens a value to what `formatInlineValue` shows, so that a large one does not stay in memory. */
export function truncateValue(value: unknown): unknown {
  if (typeof value !== 'string' && typeof value !== 'object') return value;
  const text = JSON.stringify(value) ?? '';
  return text.length <= maxInlineLength ? value : new TruncatedValue(truncateText(text, maxInlineLength));
}

function truncateText(text: string, length: number): string {
  if (text.length <= length) return text;
  // Copied through a Buffer, because a slice would keep the whole string in memory.
  const start = Buffer.from(text.slice(0, length).replace(/[\ud800-\udbff]$/, '')).toString();
  return `${start}… (${text.length - start.length} more characters in trace.json)`;
}
