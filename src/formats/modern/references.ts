// `{{params.a.b}}` and `{{outputs.node.items[0]}}`, the two references of modern recipes.
export type Reference = { root: 'params' | 'outputs'; keys: readonly string[] };

const body = String.raw`\s*(params|outputs)((?:\.[\w-]+|\[\d+\])+)\s*`;
const anywhere = new RegExp(String.raw`\{\{${body}\}\}`, 'g');
const whole = new RegExp(String.raw`^\{\{${body}\}\}$`);
/** What the engine takes for a reference, or an author may have meant as one. */
const suspect = /\{\{\s*(?:[A-Za-z_][\w-]*(?:\.[\w-]+)*\s*\}\}|(?:params|outputs)[.[][^}]*\}?\}?)/g;
/** Names that never are a value's own. */
const refused = new Set(['__proto__', 'constructor', 'prototype']);

/** The reference that a text is, and nothing beside it. */
export function wholeReference(text: unknown): Reference | undefined {
  const [, root, path] = (typeof text === 'string' && whole.exec(text)) || [];
  return root === undefined || path === undefined ? undefined : toReference(root, path);
}

export function referencesIn(text: string): Reference[] {
  return [...text.matchAll(anywhere)].map(([, root = '', path = '']) => toReference(root, path));
}

export function replaceReferences(text: string, spell: (reference: Reference) => string): string {
  return text.replace(anywhere, (_, root: string, path: string) => spell(toReference(root, path)));
}

/** What looks like a reference and is none that a modern recipe has. */
export function strangersIn(text: string): string[] {
  const known = (written: string): boolean => {
    const reference = wholeReference(written);
    return reference !== undefined && !reference.keys.some((key) => refused.has(key));
  };
  return [...text.matchAll(suspect)].map(([written]) => written).filter((written) => !known(written));
}

/** As the engine spells it: `[0]` is `.0`. */
export function spell(root: string, keys: readonly string[]): string {
  return `{{${[root, ...keys].join('.')}}}`;
}

/** As a path into one value: `$.items[0]`. */
export function toPath(keys: readonly string[]): string {
  return `$${keys.map((key) => (/^\d+$/.test(key) ? `[${key}]` : `.${key}`)).join('')}`;
}

function toReference(root: string, path: string): Reference {
  return { root: root as Reference['root'], keys: path.split(/[.[\]]+/).filter((key) => key !== '') };
}
