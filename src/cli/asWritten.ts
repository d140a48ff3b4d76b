// The arguments as they were written: the parser would read 2024 or 1e3 as numbers, and they may be names of files.
type Parsed = { args: readonly string[]; options: Record<string, unknown> };

// No argument can hold it, so it can be taken off again without a doubt.
const mark = '\0';

/** Arguments the parser takes for texts. */
export function asTexts(argv: readonly string[]): string[] {
  const end = argv.indexOf('--');
  return argv.map((arg, index) => {
    if (end !== -1 && index >= end) return arg;
    const [, option, value] = /^(--[^=]+=)(.*)$/s.exec(arg) ?? [];
    if (option !== undefined && value !== undefined) return isNumber(value) ? `${option}${mark}${value}` : arg;
    return isNumber(arg) ? mark + arg : arg;
  });
}

/** What the parser made of them, as it was written; what stands after `--` is among the names. */
export function asWritten({ args, options }: Parsed): Parsed {
  const { '--': after, ...rest } = options;
  const names = [...args, ...(Array.isArray(after) ? after : [])];
  const values = Object.entries(rest).map(([name, value]) => [name, unmarked(value)]);
  return { args: names.map((name) => String(unmarked(name))), options: Object.fromEntries(values) };
}

function unmarked(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(unmarked);
  return typeof value === 'string' && value.startsWith(mark) ? value.slice(mark.length) : value;
}

// The parser asks the same; an empty text is 0 to it, and what starts with a dash is an option.
function isNumber(text: string): boolean {
  return !text.startsWith('-') && Number.isFinite(Number(text));
}
