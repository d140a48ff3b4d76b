// Selectors of flow-specs are CSS or text=…, never XPath.

/** A form that only XPath has, whatever prefix it is given. */
export function isXPath(selector: string): boolean {
  return (
    /^\s*\(*\s*\.{0,2}\//.test(selector) || /(^|>>)\s*\*?\s*xpath\s*=/i.test(selector) || />>\s*\(*\s*\.{0,2}\//.test(selector)
  );
}

/** Why it can be neither CSS nor text=…, as far as that is told without a page. What a variable holds is not known yet. */
export function explainInvalidSelector(selector: string): string | undefined {
  const text = selector.replace(/\{\{\s*\w+\s*\}\}/g, 'x').trim();
  // Playwright would also take a star before an engine, and another engine after ">>", whose quotes it reads in ways of its own.
  const [, engine] = /^(\*?[\w:-]+)\s*=/.exec(text) ?? [];
  if (text === '' || /^text\s*=\s*$/.test(text)) return 'it is empty';
  if (engine === 'text') return text.includes('>>') ? '">>" leads to something else than a text' : undefined;
  if (engine !== undefined) return `"${engine}=" is no selector of the format`;
  const bare = stripStrings(text);
  if (bare === undefined) return 'a string or a bracket in it is not closed';
  if (replaceStrings(text).includes('>>')) return '">>" is not CSS';
  if (/^[>+~,]|[>+~,]$|,\s*,/.test(bare)) return 'something is missing beside a comma or a combinator';
  return /^[\d=!@%^&/|<?]|[.#](?![\p{L}_\\x-])/u.test(bare) ? 'it is not CSS' : undefined;
}

/** What stands outside of strings and attribute brackets; undefined when one of them has no end. */
function stripStrings(text: string): string | undefined {
  const outside = replaceStrings(text);
  // Something has to stay in its place: "[a],[b]" lacks nothing beside its comma.
  const plain = outside.replace(/\[[^[\]]+\]/g, '*');
  if (/["']/.test(outside) || /[[\]]/.test(plain)) return undefined;
  let open = 0;
  for (const each of plain) {
    open += each === '(' ? 1 : each === ')' ? -1 : 0;
    if (open < 0) return undefined;
  }
  return open === 0 ? plain : undefined;
}

function replaceStrings(text: string): string {
  return text.replace(/\\./gs, 'x').replace(/"[^"\n]*"|'[^'\n]*'/g, 'x');
}
