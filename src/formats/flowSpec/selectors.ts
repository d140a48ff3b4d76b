// Checks selectors of flow-specs, which are CSS or text=…, never XPath.

/** Recognises XPath with and without a prefix. */
export function isXPath(selector: string): boolean {
  return (
    /^\s*\(*\s*\.{0,2}\//.test(selector) || /(^|>>)\s*\*?\s*xpath\s*=/i.test(selector) || />>\s*\(*\s*\.{0,2}\//.test(selector)
  );
}

/** Returns why a selector is neither CSS nor text=…, as far as that is known without a page and without values of variables. */
export function explainInvalidSelector(selector: string): string | undefined {
  const text = selector.replace(/\{\{\s*\w+\s*\}\}/g, 'x').trim();
  // Playwright also allows a star before an engine, and another engine after ">>".
  const [, engine] = /^(\*?[\w:-]+)\s*=/.exec(text) ?? [];
  if (text === '' || /^text\s*=\s*$/.test(text)) return 'the selector is empty';
  if (engine === 'text') return text.includes('>>') ? '">>" is not allowed after text=' : undefined;
  if (engine !== undefined) return `"${engine}=" is not supported`;
  const structure = stripStringsAndAttributes(text);
  if (structure === undefined) return 'a string or a bracket is not closed';
  if (replaceStrings(text).includes('>>')) return '">>" is not CSS';
  if (/^[>+~,]|[>+~,]$|,\s*,/.test(structure)) return 'a selector is missing next to a comma or a combinator';
  return /^[\d=!@%^&/|<?]|[.#](?![\p{L}_\\x-])/u.test(structure) ? 'the CSS is invalid' : undefined;
}

/** Removes the content of strings and attributes. Returns undefined when a string or bracket is not closed. */
function stripStringsAndAttributes(text: string): string | undefined {
  const withoutStrings = replaceStrings(text);
  // Attributes become "*", so that "[a],[b]" still has a selector on both sides of the comma.
  const structure = withoutStrings.replace(/\[[^[\]]+\]/g, '*');
  if (/["']/.test(withoutStrings) || /[[\]]/.test(structure)) return undefined;
  let depth = 0;
  for (const char of structure) {
    depth += char === '(' ? 1 : char === ')' ? -1 : 0;
    if (depth < 0) return undefined;
  }
  return depth === 0 ? structure : undefined;
}

function replaceStrings(text: string): string {
  return text.replace(/\\./gs, 'x').replace(/"[^"\n]*"|'[^'\n]*'/g, 'x');
}
