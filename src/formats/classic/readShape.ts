// Checks a document against its model. Reports and removes the invalid parts, so that the rules can check the rest and an author
// gets all findings at once.

import type { z } from 'zod';
import { joinPointer } from '../../document/jsonPointer.js';
import { readKeys } from '../../engine/jsonPath.js';
import { type NodeJson, nodeModel } from './model.js';

export type Issue = { keys: string[]; message: string; unknown?: string };

export type ShapeResult<T> = {
  issues: Issue[];
  /** The document without its invalid parts. Undefined when a required part is invalid. */
  value?: T;
  /** JSON pointers of the removed parts. Findings of the rules about these would only repeat the issues. */
  removedPointers: string[];
};

/** `findMore` finds issues that the model cannot. */
export function readShape<T>(
  model: z.ZodType<T>,
  value: unknown,
  findMore: (value: unknown) => Issue[] = () => [],
): ShapeResult<T> {
  const findIssues = (part: unknown): Issue[] => {
    const modelIssues = model.safeParse(part).error?.issues ?? [];
    return [...modelIssues.flatMap((issue) => flatten(issue, [])), ...findMore(part)];
  };
  const issues = findIssues(value);
  // Returns the value itself instead of zod's copy, which loses the order of keys and own keys named __proto__.
  if (issues.length === 0) return { issues, value: value as T, removedPointers: [] };
  const removed = new Set<string>();
  const rest = structuredClone(value);
  let remaining = issues;
  // Removing a part can cause a new issue in its parent.
  for (let round = 0; round < 8 && remaining.length > 0; round++) {
    if (!remaining.every((issue) => removePart(rest, issue, removed))) return { issues, removedPointers: [...removed] };
    remaining = findIssues(rest);
  }
  if (remaining.length > 0) return { issues, removedPointers: [...removed] };
  return { issues, value: rest as T, removedPointers: [...removed] };
}

// Of the branches of a union, the author probably meant the one whose issues are deepest in the value.
function flatten(issue: z.core.$ZodIssue, base: readonly string[]): Issue[] {
  const keys = [...base, ...issue.path.map(String)];
  if (issue.code === 'invalid_union' && issue.errors.length > 0) {
    const branches = issue.errors.map((errors) => errors.flatMap((inner) => flatten(inner, keys)));
    const reach = (branch: Issue[]): number =>
      Math.min(...branch.map((inner) => inner.keys.length * 2 - (inner.unknown === undefined ? 0 : 1)));
    return branches.reduce((best, branch) => (reach(branch) > reach(best) ? branch : best));
  }
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((unknown) => ({ keys: [...keys, unknown], message: issue.message, unknown }));
  return [{ keys, message: issue.message }];
}

/** Returns false when the part is required and cannot be removed. */
function removePart(root: unknown, { keys }: Issue, removedPointers: Set<string>): boolean {
  let path = readKeys(root, keys).found ? keys : keys.slice(0, -1);
  while (path.length > 0 && Array.isArray(parentOf(root, path))) path = path.slice(0, -1);
  const parent = parentOf(root, path);
  const key = path.at(-1);
  const name = path.join('.');
  if (typeof parent !== 'object' || parent === null || key === undefined || requiredPaths.test(name)) {
    if (name !== 'schema_version' && keys.join('.') !== 'schema_version') return false;
    Object.assign(root as object, { schema_version: 1 });
  } else if (path.at(-2) === 'nodes') defineKey(parent, key, { action: 'end', status: 'unknown' });
  else delete (parent as Record<string, unknown>)[key];
  removedPointers.add(joinPointer('', ...path));
  return true;
}

const requiredPaths = /^(schema_version|kind|flows|validate(\.workflow(\.(entry|nodes))?)?)?$/;

function parentOf(root: unknown, path: readonly string[]): unknown {
  const parent = readKeys(root, path.slice(0, -1));
  return parent.found ? parent.value : undefined;
}

// An assignment to the key `__proto__` would set the prototype of the object.
function defineKey(parent: object, key: string, value: unknown): void {
  Object.defineProperty(parent, key, { value, enumerable: true, configurable: true, writable: true });
}

/** Whether a finding at `path` is about a removed part, one of its parents or one of its children. */
export function concernsRemoved(path: string, removedPointers: readonly string[]): boolean {
  return removedPointers.some((pointer) => pointer === path || pointer.startsWith(`${path}/`) || path.startsWith(`${pointer}/`));
}

/** Checks keys named `__proto__`, which zod ignores. A node may have this id. Everywhere else the key is an unknown field. */
export function protoIssues(value: unknown): Issue[] {
  return protoKeys(value).flatMap((keys): Issue[] => {
    if (keys.at(-2) !== 'nodes') return [{ keys, message: 'is not a name', unknown: '__proto__' }];
    const { issues } = readShape<NodeJson>(nodeModel, valueAt(value, keys));
    return issues.map((issue) => ({ ...issue, keys: [...keys, ...issue.keys] }));
  });
}

/** Returns the path of every own key named `__proto__`. */
export function protoKeys(value: unknown): string[][] {
  const paths: string[][] = [];
  if (!mentionsProto(value)) return paths;
  const visit = (at: unknown, keys: string[]): void => {
    if (typeof at !== 'object' || at === null) return;
    for (const [key, inner] of Object.entries(at)) {
      if (key === '__proto__') paths.push([...keys, key]);
      visit(inner, [...keys, key]);
    }
  };
  visit(value, []);
  return paths;
}

function valueAt(value: unknown, keys: readonly string[]): unknown {
  return keys.reduce((at, key) => Object.entries(at as object).find(([name]) => name === key)?.[1], value);
}

function mentionsProto(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (Object.hasOwn(value, '__proto__')) return true;
  for (const inner of Object.values(value)) if (mentionsProto(inner)) return true;
  return false;
}
