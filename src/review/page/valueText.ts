// A value of a run as text for people: short, and never cut inside of a character.
const longest = 4_000;

export function valueText(value: unknown, most = longest): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? String(value));
  return cut(text, most);
}

export function inlineValue(value: unknown): string {
  return cut(JSON.stringify(value) ?? String(value), 300);
}

function cut(text: string, most: number): string {
  if (text.length <= most) return text;
  const kept = text.slice(0, most).replace(/[\ud800-\udbff]$/, '');
  return `${kept}… (${text.length - kept.length} more characters in trace.json)`;
}
