// What the models refuse, as findings: the reference's own words, with the place and what to do.
import { didYouMean } from '../../document/nearest.js';
import { readKeys } from '../../engine/path.js';
import { manifestModel, nodeModels } from './models.js';
import type { Leniency, ModelError } from './readModel.js';
import type { Report } from './report.js';
import { Numeral } from './written.js';

/** Of an edge that fits no shape, the shape that was meant is told of; all of them are in `errors`. */
export function reportErrors(report: Report, errors: readonly ModelError[]): void {
  const meant = errors.filter((error) => isMeant(report.document.value, error));
  for (const { loc, keys, type, msg } of meant.length > 0 ? meant : errors) {
    const at = type === 'missing' ? [...keys, String(loc.at(-1))] : keys;
    const hint = hintFor({ loc, keys, type, msg });
    report.refuse({ code: codeOf(type), at, message: `${loc.join('.') || 'The document'}: ${msg}`, ...(hint ? { hint } : {}) });
  }
}

function codeOf(type: string): string {
  if (type === 'missing') return 'runtime.missing_field';
  if (type === 'extra_forbidden') return 'runtime.unknown_field';
  if (type === 'value_error') return 'runtime.dangling_edge';
  return type.startsWith('union_tag') ? 'runtime.unknown_node_type' : 'runtime.invalid_value';
}

function isMeant(document: unknown, { loc, keys }: ModelError): boolean {
  const branch = loc.findIndex((part) => part === 'Edge' || part === 'ConditionalEdge');
  if (loc[1] === 'edges' && branch === 3) {
    const edge = readKeys(document, keys.slice(0, 3));
    const routes = edge.found && typeof edge.value === 'object' && edge.value !== null;
    const isRouted = routes && ['router_logic', 'mapping'].some((key) => Object.hasOwn(edge.value as object, key));
    if ((loc[branch] === 'ConditionalEdge') !== isRouted) return false;
  }
  const given = readKeys(document, branchKeys(loc, keys));
  const isObject = given.found && typeof given.value === 'object';
  if (loc.includes('str') || loc.includes('constrained-str')) return !isObject;
  return !(loc.includes('DataMapping') || loc.includes('RouterExpression')) || isObject;
}

/** Where the value stands that could be a text or an object. */
function branchKeys(loc: ModelError['loc'], keys: readonly string[]): readonly string[] {
  const at = loc.findIndex((part) => ['str', 'constrained-str', 'DataMapping', 'RouterExpression'].includes(String(part)));
  return at === -1 ? keys : keys.slice(0, keys.length - (loc.length - 1 - at));
}

function hintFor({ loc, type }: ModelError): string | undefined {
  const name = String(loc.at(-1));
  if (type === 'missing') return `Add ${JSON.stringify(name)}.`;
  if (type === 'value_error') return 'Add the node, or correct the id in the edge.';
  if (type !== 'extra_forbidden') return undefined;
  const model =
    loc.length === 1 ? manifestModel : loc[1] === 'nodes' && loc.length === 5 ? nodeModels.get(String(loc[3])) : undefined;
  return model
    ? didYouMean(
        name,
        model.map((field) => field.name),
      )
    : 'Take it out: the format has no other fields.';
}

export function reportLeniency(report: Report, lenient: readonly Leniency[]): void {
  for (const { keys, given, taken } of lenient) {
    const message = `${keys.join('.')} is ${shown(given)}, which is read as ${shown(taken)}. The document of the format asks for strict types.`;
    report.advise({ code: 'runtime.lax_value', at: keys, message, hint: `Write ${shown(taken)}.` });
  }
}

function shown(value: unknown): string {
  return value instanceof Numeral ? value.text : JSON.stringify(value);
}
