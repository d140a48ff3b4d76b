// zod passes over keys named `__proto__`. A node may have that id (ids are graph ids), so such nodes are checked here; nothing else may.
import { type NodeJson, nodeModel } from './model.js';
import { type Issue, readShape } from './shape.js';

export function protoIssues(value: unknown): Issue[] {
  return protoKeys(value).flatMap((keys): Issue[] => {
    if (keys.at(-2) !== 'nodes') return [{ keys, message: 'is not a name', unknown: '__proto__' }];
    const { issues } = readShape<NodeJson>(nodeModel, valueAt(value, keys));
    return issues.map((issue) => ({ ...issue, keys: [...keys, ...issue.keys] }));
  });
}

/** The ways to every own key of that name. */
export function protoKeys(value: unknown): string[][] {
  const found: string[][] = [];
  if (!mentionsProto(value)) return found;
  const visit = (at: unknown, keys: string[]): void => {
    if (typeof at !== 'object' || at === null) return;
    for (const [key, inner] of Object.entries(at)) {
      if (key === '__proto__') found.push([...keys, key]);
      visit(inner, [...keys, key]);
    }
  };
  visit(value, []);
  return found;
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
