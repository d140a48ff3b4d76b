// A value of a run as text for people: short, and never cut inside of a character.
const longest = 4_000;
const longestInline = 300;

/** What is kept of a value that is too long to be shown. */
class Cut {
  constructor(readonly text: string) {}
  toJSON(): string {
    return this.text;
  }
}

export function valueText(value: unknown, most = longest): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? String(value));
  return cut(text, most);
}

export function inlineValue(value: unknown): string {
  return value instanceof Cut ? value.text : cut(JSON.stringify(value) ?? String(value), longestInline);
}

/** The value, or as much of it as is shown inside of a line. */
export function keptValue(value: unknown): unknown {
  if (typeof value !== 'string' && typeof value !== 'object') return value;
  const text = JSON.stringify(value) ?? '';
  return text.length <= longestInline ? value : new Cut(cut(text, longestInline));
}

function cut(text: string, most: number): string {
  if (text.length <= most) return text;
  // By way of its bytes: a mere slice would keep all of the text in memory.
  const kept = Buffer.from(text.slice(0, most).replace(/[\ud800-\udbff]$/, '')).toString();
  return `${kept}… (${text.length - kept.length} more characters in trace.json)`;
}
