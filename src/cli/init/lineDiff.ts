// What changes in a text, line by line, as a person reads it.
const around = 2;

type Row = { mark: ' ' | '+' | '-'; line: string };

/** A few unchanged lines stand around each change. */
export function lineDiff(before: string, after: string): string[] {
  const rows = rowsOf(split(before), split(after));
  const near = rows.map((_, index) =>
    rows.slice(Math.max(0, index - around), index + around + 1).some(({ mark }) => mark !== ' '),
  );
  return rows.flatMap(({ mark, line }, index) => {
    if (near[index]) return [`${mark} ${line}`];
    return near[index - 1] ? ['  …'] : [];
  });
}

function split(text: string): string[] {
  return text === '' ? [] : text.replace(/\n$/, '').split('\n');
}

// Files of this kind are short: the longest common part is looked up in a table.
function rowsOf(before: readonly string[], after: readonly string[]): Row[] {
  const common = tableOf(before, after);
  const rows: Row[] = [];
  let [i, j] = [0, 0];
  while (i < before.length || j < after.length) {
    const [old, fresh] = [before[i], after[j]];
    if (old !== undefined && old === fresh) {
      rows.push({ mark: ' ', line: old });
      i++;
      j++;
    } else if (fresh === undefined || (old !== undefined && (common[i + 1]?.[j] ?? 0) >= (common[i]?.[j + 1] ?? 0))) {
      rows.push({ mark: '-', line: old ?? '' });
      i++;
    } else {
      rows.push({ mark: '+', line: fresh });
      j++;
    }
  }
  return rows;
}

/** How many lines the rests from i and j have in common. */
function tableOf(before: readonly string[], after: readonly string[]): number[][] {
  const table = Array.from({ length: before.length + 1 }, () => new Array<number>(after.length + 1).fill(0));
  for (let i = before.length - 1; i >= 0; i--) {
    for (let j = after.length - 1; j >= 0; j--) {
      const row = table[i] as number[];
      const below = table[i + 1] as number[];
      row[j] = before[i] === after[j] ? (below[j + 1] ?? 0) + 1 : Math.max(below[j] ?? 0, row[j + 1] ?? 0);
    }
  }
  return table;
}
