// A call of one flow of a catalog as a recipe: for an example, twice when the flow ensures a state, or for whoever calls it.
import type { Finding } from '../../document/finding.js';
import { joinPointer } from '../../document/jsonPointer.js';
import type { Document } from '../../document/readDocument.js';

/** The node that calls the flow, and the one that calls it again. */
export const firstCall = 'call';
export const secondCall = 'again';

export type ExampleRef = { document: Document; flow: string; index: number };

/** A flow that promises a state finds it when it is called again. */
export function ensuresState(flow: string): boolean {
  return /(^|[._-])ensure[_-]/.test(flow);
}

/** The Recipe v1 document of an example, with the places of the catalog; or what is wrong with the example. */
export function exampleDocument({ document, flow, index }: ExampleRef): Document | Finding {
  const pointer = examplePointer(flow, index);
  const example = exampleOf(catalogFlows(document)[flow]?.examples?.[index]);
  if (!example) return invalidExample(document, pointer);
  return documentAt(document, pointer, toCallRecipe({ flow, isTwice: ensuresState(flow), ...example }, catalogFlows(document)));
}

/** The same for a call that stands in no catalog. */
export function callDocument(document: Document, flow: string, params: object): Document {
  const pointer = joinPointer('/flows', flow);
  return documentAt(document, pointer, toCallRecipe({ flow, isTwice: false, params }, catalogFlows(document)));
}

export function examplePointer(flow: string, index: number): string {
  return joinPointer('/flows', flow, 'examples', index);
}

/** What a pointer of an example's recipe is in the catalog. */
export function authoredPointer(path: string, example: string): string {
  if (path.startsWith('/flows/')) return path;
  const [, field, rest = ''] = /^\/validate\/workflow\/nodes\/[^/]+\/(params|assert)(\/.*)?$/.exec(path) ?? [];
  // What is not of a flow was written in the example, if only by being there.
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
  const isText = description === undefined || typeof description === 'string';
  return isObject && isText && Object.keys(others).length === 0 ? (value as Example) : undefined;
}

function invalidExample({ place }: Document, path: string): Finding {
  const message = 'An example is { "description"?, "params"?, "expect"? }: a text, an object for the flow, an assertion.';
  const hint = 'Write what the flow is called with, and what its call is then to give.';
  return { code: 'flow.invalid_example', severity: 'error', path, place: place(path), message, hint };
}

type ExampleCall = Example & { flow: string; isTwice: boolean };

function toCallRecipe({ flow, isTwice, description, params = {}, expect }: ExampleCall, flows: Flows): object {
  const suffix = description === undefined ? '' : `: ${description.replaceAll('{{', '{ {')}`;
  const call = (intent: string, next: string): object => {
    return { action: 'call', intent, ref: flow, params, ...(expect === undefined ? {} : { assert: expect }), next };
  };
  const again = `Call ${flow} again: it finds what it promised and changes nothing`;
  const nodes = {
    [firstCall]: call(`Call ${flow} and see what it gives${suffix}`, isTwice ? secondCall : 'done'),
    ...(isTwice ? { [secondCall]: call(again, 'done') } : {}),
    done: { action: 'end', status: 'pass' },
  };
  const workflow = { entry: firstCall, nodes };
  return { schema_version: 1, title: `${flow}${suffix}`, flows: reachableFlowsJson(flow, flows), validate: { workflow } };
}

/** The flow and all that it calls, as they are written. */
function reachableFlowsJson(flow: string, flows: Flows): Record<string, unknown> {
  const ids = new Set([flow]);
  for (const id of ids) for (const ref of refsIn(flows[id])) if (Object.hasOwn(flows, ref)) ids.add(ref);
  return Object.fromEntries([...ids].map((id) => [id, flows[id]]));
}

function refsIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  const { ref } = value as { ref?: unknown };
  return [...(typeof ref === 'string' ? [ref] : []), ...Object.values(value).flatMap(refsIn)];
}
