// Builds a recipe that calls one flow of a catalog, for an example of the flow or for a call by a program. The example of a flow
// that ensures a state calls the flow twice.

import type { Finding } from '../../document/finding.js';
import { joinPointer } from '../../document/jsonPointer.js';
import { omitUndefined } from '../../document/omitUndefined.js';
import type { Document } from '../../document/readDocument.js';
import { flowRefsIn } from './compile.js';

/** The ids of the nodes that call the flow for the first and the second time. */
export const firstCall = 'call';
export const secondCall = 'again';

export type ExampleRef = { document: Document; flow: string; index: number };

/** Whether the name promises that the flow ensures a state. A second call finds the state and changes nothing. */
export function ensuresState(flow: string): boolean {
  return /(^|[._-])ensure[_-]/.test(flow);
}

/** Returns the Recipe v1 document of an example, with places in the catalog, or a finding when the example is invalid. */
export function exampleDocument({ document, flow, index }: ExampleRef): Document | Finding {
  const pointer = examplePointer(flow, index);
  const example = exampleOf(catalogFlows(document)[flow]?.examples?.[index]);
  if (!example) return invalidExample(document, pointer);
  return documentAt(document, pointer, toCallRecipe({ flow, isTwice: ensuresState(flow), ...example }, catalogFlows(document)));
}

/** Returns the Recipe v1 document of a call by a program. */
export function callDocument(document: Document, flow: string, params: object): Document {
  const pointer = joinPointer('/flows', flow);
  return documentAt(document, pointer, toCallRecipe({ flow, isTwice: false, params }, catalogFlows(document)));
}

export function examplePointer(flow: string, index: number): string {
  return joinPointer('/flows', flow, 'examples', index);
}

/** Translates a pointer of an example's recipe to the catalog. */
export function authoredPointer(path: string, example: string): string {
  if (path.startsWith('/flows/')) return path;
  const [, field, rest = ''] = /^\/validate\/workflow\/nodes\/[^/]+\/(params|assert)(\/.*)?$/.exec(path) ?? [];
  // The rest of the recipe is generated, so its findings belong to the whole example.
  if (field === undefined) return example;
  return `${example}/${field === 'assert' ? 'expect' : field}${rest}`;
}

function documentAt({ file, text, place }: Document, pointer: string, value: object): Document {
  return { file, text, value, place: (path, part) => place(authoredPointer(path, pointer), part) };
}

type Flows = Readonly<Record<string, { examples?: readonly unknown[] }>>;
type Example = { description?: string; params?: object; expect?: unknown };

export function catalogFlows({ value }: Document): Flows {
  return (value as { flows: Flows }).flows;
}

function exampleOf(value: unknown): Example | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const { description, params, expect: _, ...others } = value as Record<string, unknown>;
  const isObject = params === undefined || (typeof params === 'object' && params !== null && !Array.isArray(params));
  const isString = description === undefined || typeof description === 'string';
  return isObject && isString && Object.keys(others).length === 0 ? (value as Example) : undefined;
}

function invalidExample({ place }: Document, path: string): Finding {
  const message =
    'The example is invalid. Its form is { "description"?, "params"?, "expect"? }: a string, an object and an assertion.';
  const hint = 'Write the params of the call, and an assertion on its output.';
  return { code: 'flow.invalid_example', severity: 'error', path, place: place(path), message, hint };
}

type ExampleCall = Example & { flow: string; isTwice: boolean };

function toCallRecipe({ flow, isTwice, description, params = {}, expect }: ExampleCall, flows: Flows): object {
  const suffix = description === undefined ? '' : `: ${description.replaceAll('{{', '{ {')}`;
  const call = (intent: string, next: string): object => {
    return { action: 'call', intent, ref: flow, params, ...omitUndefined({ assert: expect }), next };
  };
  const secondIntent = `Call ${flow} again: the state holds already, so nothing changes`;
  const nodes = {
    [firstCall]: call(`Call ${flow} and check its output${suffix}`, isTwice ? secondCall : 'done'),
    ...(isTwice ? { [secondCall]: call(secondIntent, 'done') } : {}),
    done: { action: 'end', status: 'pass' },
  };
  const workflow = { entry: firstCall, nodes };
  return { schema_version: 1, title: `${flow}${suffix}`, flows: reachableFlowsJson(flow, flows), validate: { workflow } };
}

/** Returns the authored JSON of the flow and of every flow that it calls. */
function reachableFlowsJson(flow: string, flows: Flows): Record<string, unknown> {
  const ids = new Set([flow]);
  for (const id of ids) for (const ref of flowRefsIn(flows[id])) if (Object.hasOwn(flows, ref)) ids.add(ref);
  return Object.fromEntries([...ids].map((id) => [id, flows[id]]));
}
