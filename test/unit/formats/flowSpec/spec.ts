// Flow-specs for tests: reads them like files, compiles them, and checks the compiled recipe with the rules.

import { checkRecipe } from '../../../../src/check/checkRecipe.js';
import { createPlan } from '../../../../src/check/createPlan.js';
import type { Finding } from '../../../../src/document/finding.js';
import { type Document, readDocument } from '../../../../src/document/readDocument.js';
import { flowSpecActions } from '../../../../src/formats/flowSpec/actions/flowSpecActions.js';
import { flowSpecDialect } from '../../../../src/formats/flowSpec/compile.js';
import type { CompiledRecipe } from '../../../../src/recipe/recipe.js';
import { createRegistry } from '../../../../src/registry/registry.js';

export type Json = Record<string, unknown>;

export type SpecCheck = {
  compiled: CompiledRecipe | undefined;
  findings: Finding[];
  /** The messages of the findings that are errors. */
  errors: string[];
  codes: string[];
  /** The findings of the rules about the compiled recipe. */
  recipeErrors: string[];
};

export function specDocument(value: unknown): Document {
  const { document, findings } = readDocument('/lab/a.flowspec.json', Buffer.from(JSON.stringify(value, null, 2)));
  if (!document) throw new Error(findings[0]?.message);
  return document;
}

export function checkSpec(value: unknown): SpecCheck {
  const document = specDocument(value);
  const { compiled, findings } = flowSpecDialect().compile(document, () => ({ problem: 'nothing is imported here' }));
  const registry = createRegistry({ custom: flowSpecActions() });
  const ruleFindings = compiled ? checkRecipe(compiled, { vocabulary: registry }) : [];
  const plan = compiled ? createPlan(compiled, registry) : undefined;
  const planErrors = plan && 'code' in plan ? [plan] : [];
  return {
    ...{ compiled, findings, codes: findings.map(({ code }) => code) },
    errors: findings.filter(({ severity }) => severity === 'error').map(({ message }) => message),
    recipeErrors: [...ruleFindings, ...planErrors].map(({ code, message }) => `${code}: ${message}`),
  };
}

/** Creates a flow-spec with the given steps. */
export function spec(steps: readonly Json[], rest: Json = {}): Json {
  return { spec_version: '1', name: 'A flow of the tests', url: 'https://example.com', steps, ...rest };
}
