// Every finding code has a document with that one fault, and a line in docs/findings.md.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { officialDeclarations } from '../../../src/actions/vocabulary.js';
import { checkFile } from '../../../src/check/checkFile.js';
import { loadRecipe } from '../../../src/check/loadRecipe.js';
import { createRegistry, extensionActions, type Registry } from '../../../src/registry/registry.js';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const folder = join(root, 'test/corpus/bad');
const namesIn = (dir: string): string[] =>
  existsSync(dir) ? readdirSync(dir).filter((name) => name.endsWith('.recipe.json')) : [];
const documents = [...namesIn(folder), ...namesIn(join(folder, 'modern')).map((name) => `modern/${name}`)];
const codeOf = (name: string): string => name.replace(/^modern\//, '').replace(/(--.*)?\.recipe\.json$/, '');
/** The whole vocabulary, so that no document is refused for an undeclared action. */
const registry = new Map(
  [...officialDeclarations, ...extensionActions].map((action) => [action.name, action]),
) as unknown as Registry;

/** Codes that only the checks for production report. */
const forProduction = ['recipe.missing_proof_targets'];

function check(name: string) {
  const file = join(folder, name);
  const options = { projectRoot: folder, registry };
  if (forProduction.includes(codeOf(name))) return checkFile(file, { ...options, vocabulary: registry, production: true });
  return loadRecipe(file, options);
}

/** Codes whose bad documents are in other tests, or that no document has. */
const elsewhere = [
  'action.missing_fixture',
  'run.directory_not_empty',
  'recipe.too_many_nodes',
  'recipe.duplicate_library_id',
  'document.not_found',
  'document.not_a_file',
  'document.unreadable',
  'document.too_large',
  'document.string_too_long',
  'document.more_findings',
  'inputs.missing_value',
  'inputs.invalid_value',
  'inputs.unknown_input',
  'inputs.secret_given',
  'inputs.missing_secret',
  'flow.invalid_example',
  'flow.none_in_catalog',
  'inputs.weak_secret',
  'inputs.secret_in_recipe',
  'run.invalid_config',
  'run.no_playwright',
  'run.no_browser',
  'run.browser_not_started',
  'run.not_attached',
  'run.no_page',
  'run.interrupted',
  'run.directory_unusable',
  'run.directory_replaced',
  'run.package_unreadable',
  // Their documents are in test/unit/formats/template.
  'template.missing_value',
  'template.endless_value',
  'template.invalid_expression',
  'template.invalid_value',
  'template.invalid_default',
  'template.duplicate_argument',
  'template.empty_command',
  'template.null_byte',
  'template.invalid_failure',
  'template.invalid_number',
  'template.invalid_repeat',
  'template.invalid_when',
  'template.no_steps',
  'template.nested_list',
  'template.too_wide',
  'template.too_many_rounds',
  'template.too_large',
  'template.nothing_to_run',
  'template.disabled',
  'template.invalid_markdown',
  'template.invalid_front_matter',
  'template.no_fence',
  'template.two_fences',
  'template.invalid_alias',
  'template.invalid_import',
  'template.import_not_found',
  'template.unknown_import',
  'template.unknown_reference',
  'template.cyclic_import',
  'template.import_depth',
  'template.unsupported_when',
  'template.unsupported_field',
  'template.value_as_code',
  'template.double_braces',
  'template.too_many_successes',
  // Their documents are in test/unit/formats/runtime.
  'runtime.missing_field',
  'runtime.unknown_field',
  'runtime.invalid_value',
  'runtime.unknown_node_type',
  'runtime.dangling_edge',
  'runtime.too_large',
  'runtime.lax_value',
  'runtime.duplicate_node',
  'runtime.unknown_processor',
  'runtime.map_cycle',
  'runtime.invalid_limit',
  'runtime.empty_mapping',
  'runtime.invalid_router',
  'runtime.refused_condition',
  'runtime.unreadable_condition',
  'runtime.endless_loop',
  'runtime.unknown_strategy',
  'runtime.no_voters',
  'runtime.unused_council',
  'runtime.unknown_recipe',
  'runtime.misplaced_secret',
  'runtime.cut_limit',
  'runtime.repeated_voter',
  'runtime.invalid_schema',
  'runtime.edge_after_map',
  'runtime.item_edge',
  'runtime.recipe_cycle',
  'runtime.integrity_mismatch',
  'runtime.unverifiable_hash',
  'runtime.other_hash',
  // Their documents are in test/unit/formats/flowSpec.
  'flow_spec.unsupported_version',
  'flow_spec.missing_field',
  'flow_spec.unknown_field',
  'flow_spec.unknown_type',
  'flow_spec.invalid_value',
  'flow_spec.invalid_act',
  'flow_spec.invalid_wait',
  'flow_spec.xpath_selector',
  'flow_spec.invalid_selector',
  'flow_spec.invalid_pattern',
  'flow_spec.invalid_host',
  'flow_spec.invalid_url',
  'flow_spec.unknown_variable',
  'flow_spec.variable_conflict',
  'flow_spec.secret_not_resolved',
  'flow_spec.unknown_vendor',
  'flow_spec.empty_expectation',
  'flow_spec.host_not_admitted',
];
/** Codes that always have another code with them: without a transition no end can be reached, and a catalog cannot run. */
const inseparable: Record<string, string> = {
  'workflow.no_reachable_terminal': 'workflow.missing_transition',
  'workflow.missing_target': 'workflow.no_reachable_terminal',
  'workflow.missing_transition': 'workflow.no_reachable_terminal',
  'flow.missing_target': 'flow.no_reachable_terminal',
  'flow.missing_transition': 'flow.no_reachable_terminal',
  'flow.over_budget': 'recipe.nothing_to_run',
  'flow.missing_version': 'recipe.nothing_to_run',
  'flow.missing_description': 'recipe.nothing_to_run',
};

describe('a bad document', () => {
  test.for(documents)('the bad document %s has the finding it is named after, and no other error', (name) => {
    const { findings, text } = check(name);
    const finding = findings.find(({ code }) => code === codeOf(name));
    expect(findings.map(({ code }) => code)).toContain(codeOf(name));
    const others = findings.filter(
      ({ code, severity }) => severity === 'error' && code !== codeOf(name) && code !== inseparable[codeOf(name)],
    );
    expect(others).toEqual([]);
    const inLibrary = finding?.place.file.includes('/recipe-library/');
    if (!inLibrary) expect(finding?.place.file).toBe(join(folder, name));
    expect(finding?.place.line).toBeLessThanOrEqual(text.split('\n').length || 1);
    expect(finding?.message).toMatch(/^\S.*[.:]/s);
  });

  test('every code that the sources report has a bad document, and a line in docs/findings.md', () => {
    const sources = readdirSync(join(root, 'src'), { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    const reported = new Set<string>();
    for (const entry of sources) {
      const text = readFileSync(join(entry.parentPath, entry.name), 'utf8');
      if (!/document|formats|check|hosts|run|actions\/core/.test(relative(root, entry.parentPath))) continue;
      const areas = '(?:document|recipe|workflow|flow|action|assertion|template|command|inputs)';
      for (const [, code = ''] of text.matchAll(new RegExp(`'(${areas}\\.(?!json)[a-z0-9_]+)'`, 'g'))) reported.add(code);
      for (const [, code = ''] of text.matchAll(/\$\{area\}\.([a-z_]+)/g)) reported.add(`workflow.${code}`).add(`flow.${code}`);
    }
    const explained = readFileSync(join(root, 'docs/findings.md'), 'utf8');
    const known = [...documents.map(codeOf), ...elsewhere];
    expect([...reported].filter((code) => !known.includes(code) && !runtime.has(code))).toEqual([]);
    expect([...new Set(known)].filter((code) => !explained.includes(`\`${code}\``))).toEqual([]);
    expect(reported.size).toBeGreaterThan(100);
  });

  test('a host without a page refuses an action that needs one', () => {
    const file = join(folder, 'workflow.backdoor_in_proof.recipe.json');
    const { findings } = loadRecipe(file, { registry: createRegistry({ fixtures: [] }), projectRoot: folder });
    expect(findings.map(({ code }) => code)).toContain('recipe.action_not_declared_by_manifest');
  });
});

/** Codes of run-time failures, which the failure table explains. */
const runtime = new Set([
  'command.outside_project',
  'command.not_started',
  'command.signalled',
  'command.failed',
  'command.option_value',
  'command.cut_input',
  'command.no_directory',
  'command.timed_out',
  'command.not_killed',
  'action.unknown_case',
  'action.output_not_json',
  'action.timed_out',
  'action.bad_result',
  'action.lost_error',
  'assertion.failed',
  'flow.not_idempotent',
  // Events in the log of a started run, which are not failures.
  'command.start',
  'command.done',
]);
