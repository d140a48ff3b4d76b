// Checks that every action is declared and has valid fields (spec §5, §6, §15).

import type { z } from 'zod';
import type { Declaration } from '../../actions/action.js';
import { createSchemaCheck } from '../../actions/jsonSchema.js';
import { officialVocabulary } from '../../actions/vocabulary.js';
import { didYouMean } from '../../document/didYouMean.js';
import { joinPointer } from '../../document/jsonPointer.js';
import { omitUndefined } from '../../document/omitUndefined.js';
import { readKeys } from '../../engine/jsonPath.js';
import { referencesIn } from '../../engine/references.js';
import { nodeModel } from '../../formats/classic/model.js';
import { fieldProblem } from '../../formats/classic/shapeFindings.js';
import type { RecipeNode } from '../../recipe/recipe.js';
import { unmetNeeds } from '../../registry/registry.js';
import type { NodeInGraph } from '../recipeNodes.js';
import type { Rule, RuleContext } from '../ruleContext.js';

export const actionRules: Rule = (context) => {
  for (const at of context.nodes) {
    const facts = context.factsOf(at.node.action);
    if (!facts || facts.isInternal) {
      reportUnknown(context, at.node);
      continue;
    }
    const { action } = facts;
    const isReported = checkFields(context, at, action);
    if (at.node.bindings.size > 0) checkBindings(context, at.node, action);
    if (!isReported && (facts.hasRequirements || facts.opensRegion)) checkRequirements(context, at.node, action);
  }
};

function reportUnknown({ vocabulary, report }: RuleContext, { action, pointer }: RecipeNode): void {
  const needs = unmetNeeds(action, vocabulary);
  const message = `The action ${JSON.stringify(action)} is not declared: ${undeclaredReason(action, needs)}.`;
  const needsHint = `The action needs ${needs.join(', ')}, which this host does not have. Run the recipe with "npx playwright test".`;
  report({
    code: 'recipe.action_not_declared_by_manifest',
    path: joinPointer(pointer, 'action'),
    message,
    hint: needs.length > 0 ? needsHint : didYouMean(action, [...vocabulary.keys()]),
  });
}

function undeclaredReason(action: string, needs: readonly string[]): string {
  if (needs.length > 0) return 'this host cannot execute it';
  if (officialVocabulary.has(action)) return 'it is an official action, but this host does not support it';
  return action.includes('.')
    ? 'neither the host nor the project declares it'
    : 'it is not an official action, and the name of a project action has a namespace';
}

// A field that takes its value from the run is a reference here, or missing. It is checked when the node runs.
function checkFields({ report }: RuleContext, { node, graph }: NodeInGraph, action: Declaration): boolean {
  const parsed = action.schema.safeParse(node.fields);
  let isReported = false;
  for (const issue of parsed.error?.issues ?? []) {
    const [field] = issue.path.map(String);
    const fieldValue = readKeys(node.fields, issue.path.map(String));
    const isReference = fieldValue.found && typeof fieldValue.value === 'string' && referencesIn(fieldValue.value).length > 0;
    if (field !== undefined && (node.bindings.has(field) || isReference)) continue;
    if (issue.code !== 'unrecognized_keys' && field === undefined && node.bindings.size > 0) continue;
    isReported = true;
    if (issue.code === 'unrecognized_keys') {
      for (const key of issue.keys) report(unknownField(node, action, [...issue.path.map(String), key]));
    } else report(invalidField({ node, graph }, action, issue));
  }
  return isReported;
}

function checkBindings({ report }: RuleContext, node: RecipeNode, action: Declaration): void {
  const fields = fieldNames(action.schema);
  if (fields.length === 0) return;
  for (const field of node.bindings.keys()) {
    if (fields.includes(field)) continue;
    const message = `${node.action} has no field ${JSON.stringify(field)}.`;
    const path = joinPointer(node.pointer, 'rw', 'in', field);
    report({ code: 'action.unknown_field', path, message, hint: () => didYouMean(field, fields) });
  }
}

type ActionFinding = { code: string; path: string; message: string; hint?: string };

function unknownField(node: RecipeNode, action: Declaration, keys: string[]): ActionFinding {
  const isTopLevel = keys.length === 1;
  const known = isTopLevel ? [...fieldNames(action.schema), ...Object.keys(nodeModel.shape)] : [];
  const { code, message, hint } = fieldProblem(keys.at(-1) ?? '', known);
  const path = joinPointer(node.pointer, ...keys);
  if (code === 'recipe.field_casing') return { code, path, message, ...omitUndefined({ hint }) };
  return {
    code: 'action.unknown_field',
    path,
    message: `${node.action} has no field ${JSON.stringify(keys.join('.'))}.`,
    ...omitUndefined({ hint: isTopLevel ? hint : undefined }),
  };
}

function invalidField({ node, graph }: NodeInGraph, action: Declaration, issue: z.core.$ZodIssue): ActionFinding {
  const keys = issue.path.map(String);
  const [field = ''] = keys;
  const isMissing = !Object.hasOwn(node.fields, field);
  const fieldCode = action.fieldCodes?.[field]?.[isMissing ? 'missing' : 'invalid'];
  const code = fieldCode === undefined ? 'action.invalid_field' : `${graph === 'flow' ? 'flow' : 'workflow'}.${fieldCode}`;
  const message = `${node.action}: ${keys.length > 0 ? `${JSON.stringify(keys.join('.'))}: ` : ''}${issue.message}.`;
  return { code, path: isMissing ? node.pointer : joinPointer(node.pointer, ...keys), message };
}

function fieldNames(schema: z.ZodType): string[] {
  const { shape } = schema as { shape?: object };
  return shape ? Object.keys(shape) : [];
}

function checkRequirements({ report, compiled }: RuleContext, node: RecipeNode, action: Declaration): void {
  const missing = node.bindings.size > 0 ? undefined : action.describeMissing?.(node);
  if (missing !== undefined)
    report({ code: 'action.missing_field', path: node.pointer, message: `${node.action} needs ${missing}.` });
  if (!action.planRegion || action.planRegion(node, compiled.recipe.flows) || typeof node.fields.ref === 'string') return;
  const message = `${node.action} needs a "body" with the nodes it runs.`;
  report({ code: 'workflow.missing_body', path: node.pointer, message });
}

/** Checks the JSON Schemas in a runtime manifest, because the models of that format accept any object as a schema. */
export const schemaRules: Rule = ({ nodes, traits, declarationOf, report, level }) => {
  if (!traits.hasSchemas) return;
  const severity = level === 'strict' ? 'error' : 'warning';
  for (const { node } of nodes) {
    for (const { label, keys, schema } of declarationOf(node)?.schemas?.(node) ?? []) {
      const check = createSchemaCheck(schema);
      if (!('problem' in check)) continue;
      const message = `${label} is not a valid JSON Schema: ${check.problem}.`;
      const hint = 'A node with an invalid schema does not run. Correct the schema, or write {} to allow every value.';
      report({ code: 'runtime.invalid_schema', severity, path: joinPointer(node.pointer, ...keys), message, hint });
    }
  }
};
