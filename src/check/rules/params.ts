// {{params.x}} inside of a flow: the flow says which params it has, and every call gives them (spec §4.1, §8).

import { didYouMean } from '../../document/nearest.js';
import { joinPointer } from '../../document/pointer.js';
import type { RecipeNode } from '../../recipe/recipe.js';
import type { Checked } from '../rules.js';

type ParamAt = { key: string; path: string };
type Schema = {
  properties?: Record<string, { default?: unknown } | undefined>;
  required?: unknown;
  additionalProperties?: unknown;
};

export function checkParam(checked: Checked, flow: string, { key, path }: ParamAt): void {
  const schema = checked.compiled.recipe.flows.get(flow)?.paramsSchema as Schema | undefined;
  const properties = schema?.properties ?? {};
  const required = Array.isArray(schema?.required) && schema.required.includes(key);
  const listed = Object.hasOwn(properties, key);
  if (listed && properties[key]?.default !== undefined) return;
  const { callers, lacking } = callersOf(checked, flow, key);
  const saysAll = Object.keys(properties).length > 0 || Array.isArray(schema?.required);
  const unknown = schema !== undefined && !listed && !required;
  if (unknown && (schema.additionalProperties === false || (saysAll && lacking.length === callers.length))) {
    const message = `{{params.${key}}} is no param of ${JSON.stringify(flow)}${callers.length > 0 ? ', and no call gives it' : ''}.`;
    const hint = (): string => didYouMean(key, Object.keys(properties));
    checked.report({ code: 'template.unresolved_reference', path, message, hint });
    return;
  }
  for (const node of lacking) reportLacking(checked, node, { key, path, optional: listed && !required });
}

function reportLacking({ report }: Checked, node: RecipeNode, { key, path, optional }: ParamAt & { optional: boolean }): void {
  const gives = Object.keys(node.fields.params ?? {}).join(', ') || 'no params';
  const message = `{{params.${key}}} has no value when ${JSON.stringify(node.id)} calls the flow: it gives ${gives}.`;
  if (!optional) {
    report({ code: 'template.unresolved_reference', path, message });
    return;
  }
  const call = node.fields.params === undefined ? node.pointer : joinPointer(node.pointer, 'params');
  const hint = `The node that uses it fails when it is reached. Give ${JSON.stringify(key)}, or a "default" in "paramsSchema".`;
  report({ code: 'template.unresolved_reference', severity: 'warning', path: call, message, hint });
}

// Each document is asked about many params of few flows.
const known = new WeakMap<object, Map<unknown, RecipeNode[]>>();

function callersOf({ nodes }: Checked, flow: string, key: string): { callers: RecipeNode[]; lacking: RecipeNode[] } {
  let calls = known.get(nodes);
  if (!calls) {
    calls = new Map<unknown, RecipeNode[]>();
    for (const { node } of nodes) {
      if (node.fields.ref === undefined || node.bindings.has('params')) continue;
      const list = calls.get(node.fields.ref);
      if (list) list.push(node);
      else calls.set(node.fields.ref, [node]);
    }
    known.set(nodes, calls);
  }
  const callers = calls.get(flow) ?? [];
  return { callers, lacking: callers.filter(({ fields }) => !Object.hasOwn((fields.params ?? {}) as object, key)) };
}
