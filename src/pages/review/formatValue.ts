// A value of a run as text for people: short, and never cut inside of a character.
const maxLength = 4_000;
const maxInlineLength = 300;

/** What is kept of a value that is too long to be shown. */
class TruncatedValue {
  constructor(readonly text: string) {}
  toJSON(): string {
    return this.text;
  }
}

export function formatValue(value: unknown, most = maxLength): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? String(value));
  return truncateText(text, most);
}

export function formatInlineValue(value: unknown): string {
  return value instanceof TruncatedValue ? value.text : truncateText(JSON.stringify(value) ?? String(value), maxInlineLength);
}

/** The value, or as much of it as is shown inside of a line. */
export function truncateValue(value: unknown): unknown {
  if (typeof value !== 'string' && typeof value !== 'object') return value;
  const text = JSON.stringify(value) ?? '';
  return text.length <= maxInlineLength ? value : new TruncatedValue(truncateText(text, maxInlineLength));
}

function truncateText(text: string, most: number): string {
  if (text.length <= most) return text;
  // By way of its bytes: a mere slice would keep all of the text in memory.
  const kept = Buffer.from(text.slice(0, most).replace(/[\ud800-\udbff]$/, '')).toString();
  return `${kept}… (${text.length - kept.length} more characters in trace.json)`;
}
