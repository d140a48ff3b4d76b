// Calls reach a flow and give it what it asks for (spec §7, §8).
import { checkBySchema } from '../../actions/jsonSchema.js';
import type { Flow, RecipeNode } from '../../dialects/recipe.js';
import { didYouMean } from '../../document/nearest.js';
import { joinPointer } from '../../document/pointer.js';
import { referencesIn } from '../../graph/template.js';
import type { Checked, Rule } from '../rules.js';

export const callRules: Rule = (checked) => {
  for (const { node } of checked.nodes) {
    if (typeof node.fields.ref !== 'string' || !checked.vocabulary.get(node.action)?.opens) continue;
    const flow = checked.compiled.recipe.flows.get(node.fields.ref);
    if (flow) checkParams(checked, node, flow);
    else reportUnresolved(checked, node, node.fields.ref);
  }
  checkSchemas(checked);
  checkBindings(checked);
};

function reportUnresolved({ compiled, report }: Checked, node: RecipeNode, ref: string): void {
  const message = `The flow ${JSON.stringify(ref)} is neither in "flows" nor in a catalog of "uses".`;
  const hint = didYouMean(ref, compiled.available);
  report({ code: 'workflow.unresolved_call_ref', path: joinPointer(node.pointer, 'ref'), message, hint });
}

// A param that is filled at run time is checked then.
function checkParams({ report }: Checked, node: RecipeNode, { id, paramsSchema }: Flow): void {
  const check = paramsSchema && checkBySchema(paramsSchema);
  if (!check || 'problem' in check || node.bindings.has('params')) return;
  const given = (node.fields.params ?? {}) as Record<string, unknown>;
  for (const { keys, message } of check.problemsWith(given)) {
    if (keys[0] !== undefined && Object.hasOwn(given, keys[0]) && referencesIn(given[keys[0]]).length > 0) continue;
    const path = node.fields.params === undefined ? node.pointer : joinPointer(node.pointer, 'params', ...keys);
    const named = keys.length > 0 ? `${JSON.stringify(keys.join('.'))} ` : '';
    const known = Object.keys((paramsSchema.properties as object | undefined) ?? {});
    const hint = known.length > 0 ? { hint: `Its params: ${known.join(', ')}.` } : {};
    report({
      code: 'workflow.invalid_call_params',
      path,
      message: `The flow ${JSON.stringify(id)} refuses its params: ${named}${message}.`,
      ...hint,
    });
  }
}

function checkSchemas({ compiled, report }: Checked): void {
  for (const flow of compiled.recipe.flows.values()) {
    for (const name of ['paramsSchema', 'outputsSchema'] as const) {
      const schema = flow[name];
      const check = schema && checkBySchema(schema);
      if (!check || !('problem' in check)) continue;
      const message = `"${name}" of ${JSON.stringify(flow.id)} is not a JSON Schema: ${check.problem}.`;
      report({ code: 'flow.invalid_schema', path: joinPointer(flow.pointer, name), message });
    }
  }
}

// `param` compares with a param of the flow the assertion stands in, or with an input.
function checkBindings({ atoms, compiled, report }: Checked): void {
  const { inputs, flows } = compiled.recipe;
  for (const { atom, pointer, flow } of atoms) {
    if (atom.param === undefined || inputs.has(atom.param)) continue;
    const declared = flow === undefined ? [] : paramsOf(flows.get(flow));
    if (declared === undefined || declared.includes(atom.param)) continue;
    const where = flow === undefined ? 'a declared input' : `a param of ${JSON.stringify(flow)} or a declared input`;
    const message = `"param" names ${JSON.stringify(atom.param)}, which is not ${where}.`;
    const hint = didYouMean(atom.param, [...declared, ...inputs.keys()]);
    report({ code: 'assertion.unbound_param', path: joinPointer(pointer, 'param'), message, hint });
  }
}

/** The params a flow can have; undefined when its schema does not list them. */
export function paramsOf(flow: Flow | undefined): string[] | undefined {
  const schema = flow?.paramsSchema;
  if (schema === undefined) return undefined;
  const listed = Object.keys((schema.properties as object | undefined) ?? {});
  const required = Array.isArray(schema.required) ? schema.required.map(String) : [];
  return listed.length === 0 && required.length === 0 ? undefined : [...new Set([...listed, ...required])];
}
