// Checks that calls name existing flows and pass valid params (spec §7, §8).

import { createSchemaCheck } from '../../actions/jsonSchema.js';
import { didYouMean } from '../../document/didYouMean.js';
import { joinPointer } from '../../document/jsonPointer.js';
import { readKeys } from '../../engine/jsonPath.js';
import { referencesIn } from '../../engine/references.js';
import type { Flow, RecipeNode } from '../../recipe/recipe.js';
import type { Rule, RuleContext } from '../ruleContext.js';

export const callRules: Rule = (context) => {
  if (context.traits.opensRegion) checkCalls(context);
  checkBindings(context);
  if (context.compiled.recipe.flows.size === 0) return;
  checkSchemas(context);
  checkCycles(context);
};

function checkCalls(context: RuleContext): void {
  for (const { node } of context.nodes) {
    if (typeof node.fields.ref !== 'string' || !context.declarationOf(node)?.planRegion) continue;
    const flow = context.compiled.recipe.flows.get(node.fields.ref);
    if (flow) checkParams(context, node, flow);
    else reportUnresolved(context, node, node.fields.ref);
  }
}

// Checks every flow, including flows without callers.
function checkCycles({ compiled: { recipe }, declarationOf, report }: RuleContext): void {
  const done = new Set<string>();
  const visit = (flow: Flow, callers: readonly string[]): void => {
    if (done.has(flow.id)) return;
    const path = [...callers, flow.id];
    for (const node of flow.nodes.values()) {
      const { ref } = node.fields;
      const callee = typeof ref === 'string' && declarationOf(node)?.planRegion ? recipe.flows.get(ref) : undefined;
      if (!callee) continue;
      const start = path.indexOf(callee.id);
      if (start === -1) visit(callee, path);
      else {
        const cycle = [...path.slice(start), callee.id].join(' → ');
        report({
          code: 'flow.call_cycle',
          path: joinPointer(node.pointer, 'ref'),
          message: `Flows call each other in a cycle: ${cycle}.`,
        });
      }
    }
    done.add(flow.id);
  };
  for (const flow of recipe.flows.values()) visit(flow, []);
}

function reportUnresolved({ compiled, report }: RuleContext, node: RecipeNode, ref: string): void {
  // A catalog has no "uses". It may call flows of another catalog that the recipe names.
  const severity = compiled.kind === 'catalog' ? ('note' as const) : ('error' as const);
  const message = `The flow ${JSON.stringify(ref)} is neither in "flows" nor in a catalog that "uses" names.`;
  const hint = (): string => didYouMean(ref, compiled.availableFlows);
  report({ code: 'workflow.unresolved_call_ref', severity, path: joinPointer(node.pointer, 'ref'), message, hint });
}

// A param that takes its value from the run is checked when the call runs.
function checkParams({ report }: RuleContext, node: RecipeNode, { id, paramsSchema }: Flow): void {
  const check = paramsSchema && createSchemaCheck(paramsSchema);
  if (!check || 'problem' in check || node.bindings.has('params')) return;
  const params = (node.fields.params ?? {}) as Record<string, unknown>;
  for (const { keys, message } of check.findProblems(params)) {
    const paramValue = readKeys(params, keys);
    if (paramValue.found && typeof paramValue.value === 'string' && referencesIn(paramValue.value).length > 0) continue;
    const path = node.fields.params === undefined ? node.pointer : joinPointer(node.pointer, 'params', ...keys);
    const subject = keys.length > 0 ? `${JSON.stringify(keys.join('.'))} ` : '';
    const known = Object.keys((paramsSchema.properties as object | undefined) ?? {});
    report({
      code: 'workflow.invalid_call_params',
      path,
      message: `The params do not match "paramsSchema" of the flow ${JSON.stringify(id)}: ${subject}${message}.`,
      hint: known.length > 0 ? `Its params: ${known.join(', ')}.` : undefined,
    });
  }
}

function checkSchemas({ compiled, report }: RuleContext): void {
  for (const flow of compiled.recipe.flows.values()) {
    for (const name of ['paramsSchema', 'outputsSchema'] as const) {
      const schema = flow[name];
      const check = schema && createSchemaCheck(schema);
      if (!check || !('problem' in check)) continue;
      const message = `"${name}" of ${JSON.stringify(flow.id)} is not a JSON Schema: ${check.problem}.`;
      report({ code: 'flow.invalid_schema', path: joinPointer(flow.pointer, name), message });
    }
  }
}

// `param` names a param of the flow that the assertion belongs to, or an input.
function checkBindings({ atoms, compiled, report }: RuleContext): void {
  const { inputs, flows } = compiled.recipe;
  for (const { atom, pointer, flow } of atoms) {
    const { param } = atom;
    if (param === undefined || inputs.has(param)) continue;
    const declared = flow === undefined ? [] : paramsOf(flows.get(flow));
    if (declared === undefined || declared.includes(param)) continue;
    const kind = flow === undefined ? 'a declared input' : `a param of ${JSON.stringify(flow)} or a declared input`;
    const message = `"param" names ${JSON.stringify(param)}, which is not ${kind}.`;
    const hint = (): string => didYouMean(param, [...declared, ...inputs.keys()]);
    report({ code: 'assertion.unbound_param', path: joinPointer(pointer, 'param'), message, hint });
  }
}

/** The params of a flow, or undefined when its schema does not list them. */
function paramsOf(flow: Flow | undefined): string[] | undefined {
  const schema = flow?.paramsSchema;
  if (schema === undefined) return undefined;
  const listed = Object.keys((schema.properties as object | undefined) ?? {});
  const required = Array.isArray(schema.required) ? schema.required.map(String) : [];
  return listed.length === 0 && required.length === 0 ? undefined : [...new Set([...listed, ...required])];
}
