// {{NAME}} is a secret in the values of fill and press, and a run variable when an earlier step extracts it.
import { describe, expect, test } from 'vitest';
import { checkSpec, type Json, spec } from './spec.js';

const fill = (value: string): Json => ({ type: 'act', action: 'fill', selector: '#a', value });
const extract = (into: string): Json => ({ type: 'extract', selector: '#o', into });
const expectText = (value: string, kind = 'text_contains'): Json => ({ type: 'expect', kind, value });

/** Returns the compiled nodes of the steps. */
function nodesOf(steps: readonly Json[]): Record<string, Json> {
  const { compiled, errors } = checkSpec(spec(steps));
  if (!compiled) throw new Error(errors.join('\n'));
  const { validate } = compiled.recipe.json as { validate: { workflow: { nodes: Record<string, Json> } } };
  return validate.workflow.nodes;
}

describe('a variable of a flow-spec', () => {
  test('a variable in the value of fill is a secret from the environment', () => {
    const { compiled } = checkSpec(spec([fill('{{ EMAIL }}')]));
    expect(compiled?.recipe.json).toMatchObject({ inputs: { EMAIL: { type: 'secret-ref', ref: 'env:EMAIL' } } });
    expect(nodesOf([fill('{{ EMAIL }}')])['step-1']?.value).toBe('{{inputs.EMAIL}}');
  });

  test('a variable that an earlier step extracts has the extracted value, also in the value of fill', () => {
    const nodes = nodesOf([extract('order'), fill('no. {{order}} of {{BUYER}}'), { type: 'wait', for: '#{{order}}' }]);
    expect(nodes['step-2']?.value).toEqual(['no. ', { variable: 'order' }, ' of ', '{{inputs.BUYER}}']);
    expect(nodes['step-3']?.for).toEqual(['#', { variable: 'order' }]);
  });

  test('braces in a pattern of url_matches, a target or an intent stay literal and are no reference of the recipe', () => {
    const nodes = nodesOf([expectText('{{order}}', 'url_matches'), { type: 'act', action: 'click', target: 'the {{x}} button' }]);
    expect(nodes['step-1']?.value).toEqual(['{', '{order}}']);
    expect(nodes['step-2']?.target).toEqual(['the {', '{x}} button']);
    expect(nodes['step-2']?.intent).toBe('Click the <x> button');
  });

  test.for([
    [[expectText('{{order}}')], 'no step extracts it'],
    [[expectText('{{order}}'), extract('order')], 'steps[1] extracts it later'],
    [[{ type: 'goto', url: 'https://example.com/{{order}}' }], 'no step extracts it'],
  ] as const)('a variable without a value in the steps %j is refused before a browser starts', ([steps, why]) => {
    const { findings } = checkSpec(spec(steps as readonly Json[]));
    expect(findings).toMatchObject([{ code: 'flow_spec.unknown_variable', severity: 'error' }]);
    expect(findings[0]?.message).toMatch(/^credential_rejected: /);
    expect(findings[0]?.message).toContain(why);
  });

  test('a secret outside the values of fill and press stays unchanged', () => {
    const { findings } = checkSpec(spec([fill('{{TOKEN}}'), expectText('{{TOKEN}}')]));
    expect(findings).toMatchObject([{ code: 'flow_spec.secret_not_resolved', severity: 'warning', path: '/steps/1/value' }]);
    expect(nodesOf([fill('{{TOKEN}}'), expectText('{{TOKEN}}')])['step-2']?.value).toEqual(['{', '{TOKEN}}']);
  });

  test('a name cannot be a secret first and extracted later', () => {
    expect(checkSpec(spec([fill('{{code}}'), extract('code')])).codes).toEqual(['flow_spec.variable_conflict']);
  });

  test.for(['{{{a}}}', '{{', '{{a.b}}', '{{#if x}}', '}}{{', '{{inputs.SECRET}}', '{{params.x}}'])(
    '%s is not a variable and stays unchanged',
    (value) => {
      const { recipeErrors, errors } = checkSpec(spec([extract('a'), expectText(value)]));
      expect([errors, recipeErrors]).toEqual([[], []]);
      const pieces = [nodesOf([extract('a'), expectText(value)])['step-2']?.value].flat() as (string | { variable: string })[];
      expect(pieces.map((piece) => (typeof piece === 'string' ? piece : `{{${piece.variable}}}`)).join('')).toBe(value);
    },
  );

  test('a variable in the entry URL is reported, because no earlier step can set it', () => {
    const unknown = checkSpec(spec([fill('x')], { url: 'https://example.com/{{order}}' }));
    expect(unknown.findings).toMatchObject([{ code: 'flow_spec.unknown_variable', severity: 'error', path: '/url' }]);
    expect(unknown.errors[0]).toContain('credential_rejected: url refers to {{order}}');
    const secret = checkSpec(spec([fill('{{CODE}}')], { url: 'https://example.com/{{CODE}}' }));
    expect(secret.findings).toMatchObject([{ code: 'flow_spec.secret_not_resolved', severity: 'warning', path: '/url' }]);
  });
});
