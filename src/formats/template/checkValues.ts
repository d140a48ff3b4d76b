// What is wrong with the values of a template recipe, found before anything runs: in the middle of a run it would leave half of it done.
import { coerceTypes } from './coerceArgs.js';
import { parseDeclarations } from './declarations.js';
import { checkNode, mostBranches } from './openNode.js';
import { resolveArtifacts } from './resolveArtifacts.js';
import { runValues } from './runNames.js';
import { isTemplateError, type TemplateError } from './templateError.js';
import { toRoot } from './templateNode.js';
import type { TemplateRecipe } from './templateRecipe.js';
import type { Layer } from './templateValues.js';

/** Opens everything that would run with these values, as it will be opened then. */
export function checkValues({ template, artifacts = {} }: TemplateRecipe, values: Layer): TemplateError | undefined {
  const node = toRoot(template);
  const { args, defaults } = node;
  try {
    const types = new Map(parseDeclarations(args).map(({ name, type }) => [name, type]));
    // What the run is told about itself is not known yet, and is always a text.
    const given = { ...runValues({ run: 'run', stateDir: '/run' }), ...coerceTypes(types, values) };
    checkNode({ node, site: {} }, { given, compat: false, cwd: '.', maxParallel: mostBranches });
    resolveArtifacts(artifacts, { given, defaults, args });
    return undefined;
  } catch (thrown) {
    if (isTemplateError(thrown)) return thrown;
    throw thrown;
  }
}
