// Flow-specs on the command line: errors in the words of the format, compilation to the recipe that runs, and the project's own vendors.
import { describe, expect, test } from 'vitest';
import { cliProject as startedProject } from '../../support/cli.js';
import { inProcess } from '../../support/command.js';
import { spec } from '../formats/flowSpec/spec.js';

const cliProject = (files: Record<string, unknown>) => inProcess(startedProject(files));
const withVendor = spec([{ type: 'expect', kind: 'beacon', vendor: 'House', event: 'came_in' }]);
const config = (vendor: object): string => `export default ${JSON.stringify({ flowSpecs: { vendors: [vendor] } })};\n`;

describe('recipewright validate', () => {
  test('validate prints the error of a flow-spec verbatim, with its place', async () => {
    const bad = spec([{ type: 'goto', url: 'https://example.com', timeout: 5 }]);
    const { exitCode, stdout } = await startedProject({ 'a.flowspec.json': bad }).run('validate', 'a.flowspec.json');
    expect(exitCode).toBe(1);
    expect(stdout).toContain('flow_spec.unknown_field');
    expect(stdout).toContain('a.flowspec.json:9:7');
    expect(stdout).toContain('steps[0].timeout: unknown field "timeout"');
  });

  test('validate knows the vendors of the project and warns of others', async () => {
    const files = { 'package.json': {}, 'a.flowspec.json': withVendor };
    const own = { 'recipewright.config.mjs': config({ vendor: 'house', match: ['/metrics\\?'], event: ['what'] }) };
    const known = await cliProject({ ...files, ...own }).run('validate', 'a.flowspec.json');
    expect([known.exitCode, known.stdout.includes('unknown_vendor')]).toEqual([0, false]);
    const unknown = await cliProject(files).run('validate', 'a.flowspec.json');
    expect([unknown.exitCode, unknown.stdout.includes('flow_spec.unknown_vendor')]).toEqual([0, true]);
  });

  test.for([
    [{ vendor: 'house', match: ['('] }, 'flowSpecs.vendors.0.match.0'],
    [{ vendor: 'house', match: [] }, 'flowSpecs.vendors.0.match'],
    [{ vendor: 'house', match: ['x'], matches: ['y'] }, 'matches'],
  ] as const)('validate refuses an unusable vendor entry: %j', async ([vendor, message]) => {
    const files = { 'package.json': {}, 'a.flowspec.json': withVendor, 'recipewright.config.mjs': config(vendor) };
    const { exitCode, stderr } = await cliProject(files).run('validate', 'a.flowspec.json');
    expect(exitCode).toBe(2);
    expect(stderr).toContain(message);
  });
});

describe('recipewright compile', () => {
  test('compile turns a flow-spec into a valid recipe that compiles to itself', async () => {
    const steps = [
      { type: 'act', action: 'fill', target: 'the code field', value: '{{CODE}}' },
      { type: 'expect', kind: 'text_contains', value: 'welcome', optional: true },
    ];
    const project = cliProject({ 'a.flowspec.json': spec(steps, { assertions: [{ kind: 'no_console_errors' }] }) });
    const first = await project.started('compile', 'a.flowspec.json', '--out', 'a.recipe.json');
    expect(first).toEqual({ exitCode: 0, signal: null, stdout: '', stderr: '' });
    const validated = await project.run('validate', 'a.recipe.json');
    expect([validated.exitCode, validated.stderr]).toEqual([0, '']);
    const again = await project.run('compile', 'a.recipe.json');
    const printed = await project.run('compile', 'a.flowspec.json');
    expect([again.exitCode, again.stdout]).toEqual([0, printed.stdout]);
    expect(JSON.parse(printed.stdout)).toMatchObject({
      inputs: { CODE: { type: 'secret-ref', ref: 'env:CODE' } },
      validate: { workflow: { nodes: { 'step-2': { rw: { on_fail: 'continue' } } } } },
    });
  });
});
