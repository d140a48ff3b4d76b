// Compiles a flow catalog, which has flows to check and no graph to run.

import type { Dialect, Recipe } from '../../recipe/recipe.js';
import { toFlow } from './compile.js';
import { catalogModel } from './model.js';
import { protoIssues, readShape } from './readShape.js';
import { shapeFindings } from './shapeFindings.js';

export const flowCatalog: Dialect = {
  name: 'flow-catalog-v1',
  detect: ({ value }) =>
    typeof value === 'object' &&
    value !== null &&
    (Object.hasOwn(value, 'flows') || (value as { kind?: unknown }).kind === 'recipe-flow-catalog') &&
    !['validate', 'workflow', 'topology'].some((key) => Object.hasOwn(value, key)),
  compile(document) {
    const shape = readShape(catalogModel, document.value, protoIssues);
    const origin = document.place;
    const findings = shapeFindings(document.value, shape.issues, origin);
    if (!shape.value) return { findings };
    const flows = new Map(Object.entries(shape.value.flows).map(([id, json]) => [id, toFlow(id, json)]));
    const problem = flowBudgetProblem(shape.value, flows.size);
    if (problem) findings.push({ ...problem, severity: 'warning', path: '/flows', place: origin('/flows') });
    const recipe: Recipe = { ...emptyRecipe, flows, json: document.value };
    return {
      compiled: {
        kind: 'catalog',
        recipe,
        origin,
        findings,
        removedPointers: shape.removedPointers,
        availableFlows: [...flows.keys()],
      },
      findings,
    };
  },
};

const emptyRecipe: Omit<Recipe, 'json' | 'flows'> = {
  inputs: new Map(),
  proofTargets: [],
  preConditions: [],
  setup: [],
  entry: '',
  nodes: new Map(),
  teardown: [],
};

const defaultFlowBudget = 40;

// A catalog is an API, and an author can learn only a small API (spec §8.1).
function flowBudgetProblem({ flow_budget: budget = defaultFlowBudget }: { flow_budget?: number | undefined }, count: number) {
  if (count <= budget) return undefined;
  const hint = 'Replace flows that differ only in a value with one flow that has a param, or raise "flow_budget".';
  return { code: 'flow.over_budget', message: `The catalog has ${count} flows, more than its budget of ${budget}.`, hint };
}
