// Formats the changed lines of a file, with a few unchanged lines around them.
import { diffArrays } from 'diff';

const contextLines = 2;

/** Returns lines that begin with a mark: "+" for added, "-" for removed, " " for unchanged. */
export function lineDiff(before: string, after: string): string[] {
  const rows = diffArrays(splitLines(before), splitLines(after)).flatMap(({ value, added, removed }) =>
    value.map((line) => ({ mark: added ? '+' : removed ? '-' : ' ', line })),
  );
  const isShown = rows.map((_, index) =>
    rows.slice(Math.max(0, index - contextLines), index + contextLines + 1).some(({ mark }) => mark !== ' '),
  );
  return rows.flatMap(({ mark, line }, index) => {
    if (isShown[index]) return [`${mark} ${line}`];
    return isShown[index - 1] ? ['  …'] : [];
  });
}

function splitLines(text: string): string[] {
  return text === '' ? [] : text.replace(/\n$/, '').split('\n');
}
