// Each invalid modern recipe in test/corpus/bad/modern gets exactly one finding, at the position of its error.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { recipeV1Modern } from '../../../../src/formats/modern/compile.js';
import { formatFinding, libraryOf, projectRoot, readFile } from './modernFiles.js';

const folder = join(projectRoot, 'test/corpus/bad/modern');
const names = readdirSync(folder).filter((name) => name.endsWith('.recipe.json'));
const codeOf = (name: string): string => name.replace('.recipe.json', '');
const findingsIn = (name: string) => recipeV1Modern.compile(readFile(join(folder, name)), libraryOf(join(folder, name))).findings;
/** Findings that always come with another finding: a recipe without a path to an end also has a node without "next". */
const accompanyingCodes: Record<string, string> = { 'workflow.no_reachable_terminal': 'workflow.missing_transition' };
/** The findings with which the recipe can still run. */
const warnings = ['workflow.constant_switch'];

describe('a modern recipe with one error', () => {
  test.for(names)('the invalid recipe %s gets the finding of its name and no other', (name) => {
    const codes = new Set(findingsIn(name).map(({ code }) => code));
    codes.delete(accompanyingCodes[codeOf(name)] ?? '');
    expect([...codes]).toEqual([codeOf(name)]);
  });

  test.for(names)('the finding of %s is a full sentence with the right severity', (name) => {
    const { compiled, findings } = recipeV1Modern.compile(readFile(join(folder, name)), libraryOf(join(folder, name)));
    const finding = findings.find(({ code }) => code === codeOf(name));
    expect(finding?.message).toMatch(/^\S.*\.$/s);
    expect(finding?.severity).toBe(warnings.includes(codeOf(name)) ? 'warning' : 'error');
    expect(compiled === undefined).toBe(finding?.severity === 'error');
  });

  test('each finding of an invalid modern recipe points at the error', () => {
    const table = names.flatMap((name) => findingsIn(name).map((finding) => formatFinding(finding, folder)));
    expect(table.join('\n')).toMatchInlineSnapshot(`
      "flow.call_cycle  recipe-library/recipes/loop/back.recipe.json:10  "ref": "loop.there",
      flow.call_depth  recipe-library/recipes/deep/7.recipe.json:10  "ref": "deep.8",
      recipe.action_case_not_declared  recipe.action_case_not_declared.recipe.json:22  "other": "failed"
      recipe.invalid_document  recipe.invalid_document.recipe.json:3  "title": 3,
      recipe.invalid_params_schema  recipe.invalid_params_schema.recipe.json:5  "type": "array"
      recipe.invalid_proof_target  recipe.invalid_proof_target.recipe.json:5  {
      recipe.missing_schema_ref  recipe.missing_schema_ref.recipe.json:1  {
      recipe.missing_workflow  recipe.missing_workflow.recipe.json:4  "workflow": []
      recipe.undeclared_proof_target  recipe.undeclared_proof_target.recipe.json:22  "AC-2"
      recipe.unsupported_field  recipe.unsupported_field.recipe.json:4  "schema_version": 1,
      recipe.unsupported_schema_ref  recipe.unsupported_schema_ref.recipe.json:2  "$schema": "https://farmslot.io/schemas/recipe-v2.schema.json",
      template.invalid_reference  template.invalid_reference.recipe.json:14  "stdin": "{{name}}"
      template.unresolved_reference  template.unresolved_reference.recipe.json:14  "stdin": "{{params.name}}"
      workflow.constant_switch  workflow.constant_switch.recipe.json:18  "value": "ok",
      workflow.cycle  workflow.cycle.recipe.json:24  "next": "run"
      workflow.invalid_action  workflow.invalid_action.recipe.json:8  "action": "",
      workflow.invalid_call_field  workflow.invalid_call_field.recipe.json:12  "timeout_ms": 1000
      workflow.invalid_call_params  workflow.invalid_call_params.recipe.json:13  "nmae": "Ada"
      workflow.invalid_call_ref  workflow.invalid_call_ref.recipe.json:10  "ref": "shared/smoke",
      workflow.invalid_cases  workflow.invalid_cases.recipe.json:13  "cases": [
      workflow.invalid_default  workflow.invalid_default.recipe.json:16  "default": null
      workflow.invalid_entry  workflow.invalid_entry.recipe.json:5  "entry": 3,
      workflow.invalid_next  workflow.invalid_next.recipe.json:13  "next": 7
      workflow.invalid_node  workflow.invalid_node.recipe.json:15  "do.it": {
      workflow.invalid_nodes  workflow.invalid_nodes.recipe.json:6  "nodes": []
      workflow.invalid_proves  workflow.invalid_proves.recipe.json:14  "proves": "AC-1"
      workflow.invalid_teardown  workflow.invalid_teardown.recipe.json:20  "teardown": []
      workflow.invalid_terminal_field  workflow.invalid_terminal_field.recipe.json:18  "intent": "Finish the run"
      workflow.invalid_terminal_status  workflow.invalid_terminal_status.recipe.json:17  "status": "ok"
      workflow.invalid_transition_shape  workflow.invalid_transition_shape.recipe.json:7  "run": {
      workflow.missing_entry_node  workflow.missing_entry_node.recipe.json:5  "entry": "rum",
      workflow.missing_target  workflow.missing_target.recipe.json:15  "no": "dome"
      workflow.missing_teardown_node  workflow.missing_teardown_node.recipe.json:20  "teardown": "stop"
      workflow.missing_transition  workflow.missing_transition.recipe.json:18  "more": {
      workflow.missing_transition  workflow.no_reachable_terminal.recipe.json:7  "run": {
      workflow.no_reachable_terminal  workflow.no_reachable_terminal.recipe.json:6  "nodes": {
      workflow.overlapping_teardown  workflow.overlapping_teardown.recipe.json:23  "done": {
      workflow.unresolved_call_ref  workflow.unresolved_call_ref.recipe.json:10  "ref": "smoek",
      workflow.unsupported_switch  workflow.unsupported_switch.recipe.json:18  "value": "the {{outputs.run.stdout}}","
    `);
  });
});
