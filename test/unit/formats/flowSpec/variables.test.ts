// {{NAME}}: secrets in values of fill and press, run variables of earlier steps anywhere, and nothing else.
import { describe, expect, test } from 'vitest';
import { checkSpec, type Json, spec } from './spec.js';

const fill = (value: string): Json => ({ type: 'act', action: 'fill', selector: '#a', value });
const extract = (into: string): Json => ({ type: 'extract', selector: '#o', into });
const see = (value: string, kind = 'text_contains'): Json => ({ type: 'expect', kind, value });

/** The nodes that the steps became. */
function nodesOf(steps: readonly Json[]): Record<string, Json> {
  const { compiled, errors } = checkSpec(spec(steps));
  if (!compiled) throw new Error(errors.join('\n'));
  const { validate } = compiled.recipe.json as { validate: { workflow: { nodes: Record<string, Json> } } };
  return validate.workflow.nodes;
}

describe('a variable', () => {
  test('in a value of fill is a secret, read from the environment', () => {
    const { compiled } = checkSpec(spec([fill('{{ EMAIL }}')]));
    expect(compiled?.recipe.json).toMatchObject({ inputs: { EMAIL: { type: 'secret-ref', ref: 'env:EMAIL' } } });
    expect(nodesOf([fill('{{ EMAIL }}')])['step-1']?.value).toBe('{{inputs.EMAIL}}');
  });

  test('that an earlier step extracts is that, also in a value of fill', () => {
    const nodes = nodesOf([extract('order'), fill('no. {{order}} of {{BUYER}}'), { type: 'wait', for: '#{{order}}' }]);
    expect(nodes['step-2']?.value).toEqual(['no. ', { variable: 'order' }, ' of ', '{{inputs.BUYER}}']);
    expect(nodes['step-3']?.for).toEqual(['#', { variable: 'order' }]);
  });

  test('in the pattern of url_matches, in a target and in words is literal, and no reference of the recipe either', () => {
    const nodes = nodesOf([see('{{order}}', 'url_matches'), { type: 'act', action: 'click', target: 'the {{x}} button' }]);
    expect(nodes['step-1']?.value).toEqual(['{', '{order}}']);
    expect(nodes['step-2']?.target).toEqual(['the {', '{x}} button']);
    expect(nodes['step-2']?.intent).toBe('Click the <x> button');
  });

  test.for([
    [[see('{{order}}')], 'no step extracts it'],
    [[see('{{order}}'), extract('order')], 'steps[1] extracts it later'],
    [[{ type: 'goto', url: 'https://example.com/{{order}}' }], 'no step extracts it'],
  ] as const)('that cannot be supplied is refused before a browser starts: %j', ([steps, why]) => {
    const { findings } = checkSpec(spec(steps as readonly Json[]));
    expect(findings).toMatchObject([{ code: 'flow_spec.unknown_variable', severity: 'error' }]);
    expect(findings[0]?.message).toMatch(/^credential_rejected: /);
    expect(findings[0]?.message).toContain(why);
  });

  test('that is a secret stays as it is written outside of fill and press', () => {
    const { findings } = checkSpec(spec([fill('{{TOKEN}}'), see('{{TOKEN}}')]));
    expect(findings).toMatchObject([{ code: 'flow_spec.secret_not_resolved', severity: 'warning', path: '/steps/1/value' }]);
    expect(nodesOf([fill('{{TOKEN}}'), see('{{TOKEN}}')])['step-2']?.value).toEqual(['{', '{TOKEN}}']);
  });

  test('cannot be a secret first and extracted later', () => {
    expect(checkSpec(spec([fill('{{code}}'), extract('code')])).codes).toEqual(['flow_spec.variable_conflict']);
  });

  test.for(['{{{a}}}', '{{', '{{a.b}}', '{{#if x}}', '}}{{', '{{inputs.SECRET}}', '{{params.x}}'])(
    'is not %s: the text stays what it is',
    (value) => {
      const { recipeErrors, errors } = checkSpec(spec([extract('a'), see(value)]));
      expect([errors, recipeErrors]).toEqual([[], []]);
      const pieces = [nodesOf([extract('a'), see(value)])['step-2']?.value].flat() as (string | { variable: string })[];
      expect(pieces.map((piece) => (typeof piece === 'string' ? piece : `{{${piece.variable}}}`)).join('')).toBe(value);
    },
  );

  test('in the address that the flow begins at can come from nowhere', () => {
    const unknown = checkSpec(spec([fill('x')], { url: 'https://example.com/{{order}}' }));
    expect(unknown.findings).toMatchObject([{ code: 'flow_spec.unknown_variable', severity: 'error', path: '/url' }]);
    expect(unknown.errors[0]).toContain('credential_rejected: url refers to {{order}}');
    const secret = checkSpec(spec([fill('{{CODE}}')], { url: 'https://example.com/{{CODE}}' }));
    expect(secret.findings).toMatchObject([{ code: 'flow_spec.secret_not_resolved', severity: 'warning', path: '/url' }]);
  });
});
