// As much of JavaScript as is needed to see where an expression ends: texts, comments and brackets.

const closing: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}' };

/** Where the expression that begins at `from` ends; undefined when its brackets do not close. */
export function endOf(text: string, from: number): number | undefined {
  const open: string[] = [];
  for (let at = from; at < text.length; at++) {
    const char = text[at] as string;
    const skipped = afterText(text, at) ?? afterComment(text, at);
    if (skipped !== undefined) at = skipped - 1;
    else if (closing[char]) open.push(closing[char]);
    else if (')]}'.includes(char)) {
      if (open.pop() !== char) return undefined;
    } else if (open.length === 0 && (char === ';' || (char === '\n' && !goesOn(text, from, at)))) return at;
  }
  return open.length === 0 ? text.trimEnd().length : undefined;
}

// A line that ends in an operator, or a next one that begins with one, belongs to the same expression.
function goesOn(text: string, from: number, at: number): boolean {
  return (
    /([=(,.?:&|+]|\bas|\bsatisfies)\s*$/.test(text.slice(from, at)) || /^\s*([.?:&|+]|as\b|satisfies\b)/.test(text.slice(at))
  );
}

function afterText(text: string, at: number): number | undefined {
  const quote = text[at];
  if (quote !== "'" && quote !== '"' && quote !== '`') return afterPattern(text, at);
  for (let end = at + 1; end < text.length; end++) {
    if (text[end] === '\\') end++;
    else if (text[end] === quote) return end + 1;
  }
  return text.length;
}

// A slash after a value divides; elsewhere it begins a pattern.
function afterPattern(text: string, at: number): number | undefined {
  if (text[at] !== '/' || '/*'.includes(text[at + 1] ?? ' ') || /[\w)\]]\s*$/.test(text.slice(0, at))) return undefined;
  const found = /^\/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\/\w*/.exec(text.slice(at));
  return found ? at + found[0].length : undefined;
}

function afterComment(text: string, at: number): number | undefined {
  const end = text.startsWith('//', at)
    ? text.indexOf('\n', at)
    : text.startsWith('/*', at)
      ? text.indexOf('*/', at) + 2
      : undefined;
  return end === undefined ? undefined : end < 2 ? text.length : end;
}
