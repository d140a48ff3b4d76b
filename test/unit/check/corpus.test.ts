// The published recipes are valid, or refused for a real defect.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { officialDeclarations } from '../../../src/actions/vocabulary.js';
import { checkFile } from '../../../src/check/checkFile.js';
import { fromManifest } from '../../../src/registry/manifest/fromManifest.js';
import { extensionActions } from '../../../src/registry/registry.js';

const corpus = fileURLToPath(new URL('../../../../shared/corpus/recipe-v1', import.meta.url));

/** File, the finding that refuses it, and the section of the specification that it breaks. */
const refusals: Record<string, readonly [code: string, section: string, why: string]> = {
  'recipes/close-position.recipe.json': ['recipe.unreadable_catalog', '§18', 'its catalog is not published'],
  'recipes/demo-red-banner.recipe.json': ['template.unresolved_reference', '§4.1', '{{repo}} is not a declared input'],
  'recipes/example-browser-perps-v1.recipe.json': ['recipe.undeclared_proof_target', '§5', 'AC-1 is not in proofTargets'],
  'recipes/mobile-companion.recipe.json': ['action.missing_field', '§6', 'a ui.press without a target'],
  'recipes/from-tests/catalog-call.recipe.json': ['command.reference_in_interpreter', '§4.1', 'a param inside node -e'],
  'recipes/from-tests/promote-marker.recipe.json': ['command.reference_in_interpreter', '§4.1', 'a param inside node -e'],
  'recipes/from-tests/flows.json': ['command.reference_in_interpreter', '§4.1', 'a param inside node -e'],
  'recipes/from-tests/cycle-call.recipe.json': ['flow.call_cycle', '§7', 'two flows call each other'],
  'recipes/from-tests/missing-param-call.recipe.json': ['workflow.invalid_call_params', '§7', 'a call omits a required param'],
  'catalogs/example.trade.flows.json': ['flow.missing_entry_node', '§5', 'its graph has no nodes'],
  'catalogs/from-tests/flows.json': ['command.reference_in_interpreter', '§4.1', 'a param inside node -e'],
};

/** Files in `invalid/` that are not named by their codes. */
const codesByFile: Record<string, readonly string[]> = {
  'expo.config.no-intent.recipe.json': ['workflow.invalid_intent'],
  'pr-webhook-routing.real.recipe.json': ['workflow.missing_transition'],
};

describe.skipIf(!existsSync(corpus))('of the published corpus (skipped where it is not beside the project)', () => {
  const declared = existsSync(corpus) ? declaredByManifests() : undefined;
  const valid = [
    'recipes',
    'recipes/from-tests',
    'catalogs',
    'catalogs/from-tests',
    'recipes/v1-modern',
    'recipes/v1-modern/library-hello/recipes',
  ].flatMap(jsonIn);

  function check(file: string) {
    const path = join(corpus, file);
    return checkFile(path, { vocabulary: new Map(), ...declared, projectRoot: dirname(path) });
  }

  test('the published corpus has more than 25 valid documents', () => {
    expect(valid.length).toBeGreaterThan(25);
  });

  test.for(valid)('the published %s is valid, or refused for its real defect', (file) => {
    const errors = check(file).findings.filter(({ severity }) => severity === 'error');
    const [code] = refusals[file] ?? [];
    if (code === undefined) expect(errors).toEqual([]);
    else expect(errors.map((finding) => finding.code)).toContain(code);
  });

  test.for(jsonIn('recipes/invalid'))('the published invalid %s is refused with the codes in its name', (file) => {
    const codes = check(file).findings.map((finding) => finding.code);
    for (const code of codesByFile[basename(file)] ?? codesOf(basename(file))) expect(codes).toContain(code);
  });
});

function jsonIn(folder: string): string[] {
  const dir = join(corpus, folder);
  const names = existsSync(dir) ? readdirSync(dir) : [];
  return names.filter((name) => name.endsWith('.json') && name !== 'subject.json').map((name) => `${folder}/${name}`);
}

/** `workflow.a+b.variant.recipe.json` names workflow.a and workflow.b. */
function codesOf(name: string): string[] {
  const [area = '', codes = ''] = name.split('.');
  return codes.split('+').map((code) => `${area}.${code}`);
}

/** The declarations of all published manifests, in addition to the official actions. */
function declaredByManifests() {
  const vocabulary = new Map([...officialDeclarations, ...extensionActions].map((action) => [action.name, action]));
  const preconditions = new Set<string>();
  for (const file of [...jsonIn('manifests'), ...jsonIn('manifests/v1-modern')]) {
    const manifest = fromManifest(JSON.parse(readFileSync(join(corpus, file), 'utf8')));
    for (const [name, action] of manifest.vocabulary) if (!vocabulary.has(name)) vocabulary.set(name, action);
    for (const id of manifest.preconditions) preconditions.add(id);
  }
  return { vocabulary, preconditions };
}
