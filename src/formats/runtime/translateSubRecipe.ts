// A recipe node: the manifest it names, written out inside of it.
import { manifestPrefix } from './chooseManifest.js';
import { checkDocumentRules, checkIntegrity } from './documentRules.js';
import { verifyIntegrity } from './integrity.js';
import { type Manifest, readManifest, type SubRecipeNode } from './manifest.js';
import { reportErrors, reportLeniency } from './modelFindings.js';
import { Report } from './report.js';
import { secretNames } from './secrets.js';
import { shield } from './shield.js';
import { hasRoom, type Json, type Place, type Site, selfOf } from './site.js';
import { translateInstance } from './translateInstance.js';
import type { Told } from './translateNode.js';

export function translateSubRecipe(site: Site, node: SubRecipeNode, { place, index, layer }: Told): Json {
  const at = ['topology', 'nodes', String(index), 'recipe_id'];
  const child = findChild(site, node, at);
  const fields = { recipe: shield(node.recipe_id), output_mapping: shield(node.output_mapping) };
  if (!child) return { ...fields, body: { entry: 'done', nodes: { done: { action: 'end', status: 'fail' } } } };
  const inner: Place = { at: [...place.at, 'body', 'nodes'], depth: place.depth, level: place.depth, maps: [] };
  const caller = { ...selfOf(node.id, place, layer), input_mapping: shield(node.input_mapping) };
  const { entry, nodes } = translateInstance(child, inner, { caller });
  site.report.findings.push(...child.report.findings);
  for (const { message } of child.report.blockers)
    site.report.blockers.push({ at, message: `In the recipe ${JSON.stringify(node.recipe_id)}: ${message}` });
  return { ...fields, body: { entry, nodes } };
}

function findChild(site: Site, { recipe_id: id }: SubRecipeNode, at: readonly string[]): Site | undefined {
  const { report, resolve, document, stack } = site;
  const refuse = (code: string, message: string, hint: string): undefined => report.block({ code, at, message, hint });
  if (stack.includes(id)) {
    const way = [...stack, id].join(' → ');
    return refuse(
      'runtime.recipe_cycle',
      `The recipes run each other without end: ${way}.`,
      'Take one of these recipe nodes out.',
    );
  }
  if (!hasRoom(site, stack, at)) return undefined;
  const hint = 'Put a manifest with this "id" among the runtime recipes of the project.';
  const found = resolve(`${manifestPrefix}${id}`, document.file);
  const name = JSON.stringify(id);
  if (!found.document)
    return refuse('runtime.unknown_recipe', `The recipe ${name} was not found: ${found.problem ?? 'it is empty.'}`, hint);
  const child = readChild({ ...site, document: found.document, stack: [...stack, id] });
  if ('manifest' in child) return child;
  return refuse('runtime.unknown_recipe', `The recipe ${name} is no manifest: ${child.problem}`, hint);
}

/** What one manifest hands to another is a value of the run, and a secret is none. */
function refuseSecrets(report: Report, manifest: Manifest): void {
  for (const name of secretNames(manifest)) {
    const message = `The input ${JSON.stringify(name)} is a secret, which only a manifest that is run by itself is given.`;
    const at = ['interface', 'inputs', 'properties', name];
    report.block({
      code: 'runtime.misplaced_secret',
      at,
      message,
      hint: 'Let an agent of the outermost manifest do what needs it.',
    });
  }
}

function readChild(site: Site): Site | { problem: string } {
  const report = new Report(site.document, site.report.level);
  const { manifest, written, given, lenient, errors } = readManifest(site.document.text);
  reportErrors(report, errors);
  if (!manifest || !written) return { problem: report.findings[0]?.message ?? 'it cannot be read.' };
  reportLeniency(report, lenient);
  checkDocumentRules(report, manifest);
  checkIntegrity(report, verifyIntegrity({ manifest, written, given }));
  refuseSecrets(report, manifest);
  return { ...site, manifest, report };
}
