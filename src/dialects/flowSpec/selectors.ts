// Selectors of flow-specs are CSS or text=…, never XPath.

/** A form that only XPath has, whatever prefix it is given. */
export function isXPath(selector: string): boolean {
  return /^\s*\(*\s*\.{0,2}\//.test(selector) || /(^|>>)\s*xpath\s*=/i.test(selector) || />>\s*\(*\s*\.{0,2}\//.test(selector);
}
