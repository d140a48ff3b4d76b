// Finds and expands references in strings: `{{params.a.b}}`, `{{inputs.x}}` and the flat `{{x}}`. A string that is just one reference
// becomes the value with its type. References inside a value are not expanded again.

import type { Assertion } from '../recipe/recipe.js';
import type { PathResult } from './jsonPath.js';

const reference = /\{\{\s*([A-Za-z_][\w-]*(?:\.[\w-]+)*)\s*\}\}/g;
// Syntax of Go templates, Handlebars, Mustache, Liquid and Jinja that references of recipes do not have.
const otherTemplateSyntax = /\{\{-?\s*(?:[.#/$"]|(?:range|if|with) |(?:end|else)\s*-?\}\}|json \.)|\{\{-|\{% /;
const dottedName = /^(?:params|inputs|outputs)\./;

export type ReferenceMatch = { name: string; start: number; end: number };

/** Returns the references in a string. If the string is also a template of another language, only dotted names count. */
export function referencesAt(text: string): ReferenceMatch[] {
  if (!text.includes('{{')) return [];
  const all = [...text.matchAll(reference)].map((match) => {
    return { name: match[1] ?? '', start: match.index, end: match.index + match[0].length };
  });
  return all.length > 0 && otherTemplateSyntax.test(text) ? all.filter(({ name }) => dottedName.test(name)) : all;
}

export type ReferenceLookup = (keys: readonly string[]) => PathResult;

export class UnresolvedReference extends Error {
  constructor(readonly reference: string) {
    super(`The reference {{${reference}}} has no value.`);
  }
}

export function expandReferences(value: unknown, lookup: ReferenceLookup): unknown {
  if (typeof value === 'string') return value.includes('{{') ? expandText(value, lookup) : value;
  if (Array.isArray(value)) return value.map((item) => expandReferences(item, lookup));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, expandReferences(item, lookup)]));
}

/** Like `expandReferences`, but every value becomes a string. For fields that contain only strings. */
export function expandTexts(value: unknown, lookup: ReferenceLookup): unknown {
  if (typeof value === 'string') return replaceReferences(value, ({ name }) => toReferenceText(resolveReference(name, lookup)));
  if (Array.isArray(value)) return value.map((item) => expandTexts(item, lookup));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, expandTexts(item, lookup)]));
}

/** Returns the assertion with values in place of references. Returns the same object when the assertion has no references. */
export function expandAssertion(assertion: Assertion, lookup: ReferenceLookup): Assertion {
  if (referencesIn(assertion).length === 0) return assertion;
  const part = (inner: Assertion): Assertion => expandAssertion(inner, lookup);
  if ('all' in assertion) return { ...assertion, all: assertion.all.map(part) };
  if ('any' in assertion) return { ...assertion, any: assertion.any.map(part) };
  if ('none' in assertion) return { ...assertion, none: assertion.none.map(part) };
  return Object.hasOwn(assertion, 'value') ? { ...assertion, value: expandReferences(assertion.value, lookup) } : assertion;
}

/** Expands references in a string for display. A reference without a value stays as written. */
export function expandForDisplay(text: string, lookup: ReferenceLookup): string {
  return replaceReferences(text, ({ name, start, end }) => {
    const found = lookup(name.split('.'));
    return found.found ? toReferenceText(found.value) : text.slice(start, end);
  });
}

const none: readonly string[] = [];

export function referencesIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return value.includes('{{') ? referencesAt(value).map(({ name }) => name) : none;
  if (typeof value !== 'object' || value === null) return none;
  const found = Object.values(value)
    .map(referencesIn)
    .filter((names) => names.length > 0);
  return found.length === 0 ? none : found.flat();
}

function expandText(text: string, lookup: ReferenceLookup): unknown {
  const [first] = referencesAt(text);
  if (first && first.start === 0 && first.end === text.length) return resolveReference(first.name, lookup);
  return replaceReferences(text, ({ name }) => toReferenceText(resolveReference(name, lookup)));
}

function replaceReferences(text: string, replacement: (at: ReferenceMatch) => string): string {
  let replaced = '';
  let done = 0;
  for (const at of referencesAt(text)) {
    replaced += text.slice(done, at.start) + replacement(at);
    done = at.end;
  }
  return replaced + text.slice(done);
}

export function resolveReference(name: string, lookup: ReferenceLookup): unknown {
  const found = lookup(name.split('.'));
  if (!found.found) throw new UnresolvedReference(name);
  return found.value;
}

export function toReferenceText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
