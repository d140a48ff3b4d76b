// Steps whose selector matches nothing: the target is found by its description, by the resolver of a project, or not at all.
import { describe, expect, test } from 'vitest';
import type { TargetResolver } from '../../src/formats/flowSpec/settings.js';
import { flowLab } from '../support/flowLab.js';
import { skipShortPausesClock } from '../support/skipShortPausesClock.js';
import type { Json } from '../unit/formats/flowSpec/spec.js';
import type { FlowOptions } from './flowSpecRun.js';

const page = `<p id="log">nothing</p><script>const say = (text) => { document.getElementById('log').textContent = text }</script>
  <button onclick="say('signed up')">Sign up</button><button onclick="say('one')">Delete</button><button onclick="say('two')">Delete</button>
  <label>Code <input oninput="say('typed ' + this.value.length)" onkeydown="if (event.key === 'Enter') say('entered')"></label>
  <p id="trap">//button</p><div style="height:3000px"></div><a href="#x" onmouseover="say('hovered')">Far below</a>`;
const lab = await flowLab({ '/': { html: page } });
const run = (steps: readonly Json[], options: Partial<FlowOptions> = {}) => lab.run(steps, {}, options);
const click = (target: string): Json => ({ type: 'act', action: 'click', target, selector: '#renamed' });
/** Shortens only the first wait, for the selector that matches nothing. */
const cutShort = { node: ['step-1', 'step-3'], ms: 300, most: 1 };
const see = (value: string): Json => ({ type: 'expect', kind: 'text_contains', value, selector: '#log' });

describe('a step whose selector matches nothing', () => {
  test('a step whose selector matches nothing finds its target by the description, and records which and why', async () => {
    const { error, report } = await run([click('the sign-up button'), see('signed up')], { cutShort });
    expect(error).toBe('');
    expect(report.steps[0]?.resolved).toMatchObject({ is: 'button "Sign up" (1.00)', why: 'its name is "Sign up"', by: 'page' });
  });

  test('a step fails when its description matches two elements, and lists the candidates', async () => {
    const { error, report } = await run([click('the delete button')], { cutShort, clock: skipShortPausesClock() });
    expect(error).toContain('flow_spec.spec_step_unresolvable: "the delete button" cannot be resolved');
    expect(error).toContain('2 elements match equally well. Candidates: button "Delete" (1.00), button "Delete" (1.00).');
    expect(report.run).toMatchObject({ failure_class: 'spec_step_unresolvable', alert: 're_review' });
  });

  test('the resolver of the project finds a target, up to the limit of calls', async () => {
    const resolverCalls: string[] = [];
    let isHurried = true;
    const began = (node: string): void => {
      if (node === 'step-3') isHurried = true;
    };
    const clock = skipShortPausesClock(() => isHurried);
    const resolver: TargetResolver = async ({ target, candidates }) => {
      resolverCalls.push(target);
      isHurried = false;
      const last = candidates.filter(({ name }) => name === 'Delete').at(-1);
      return last && { index: last.index };
    };
    const steps = [click('the delete button'), see('two'), click('the delete button')];
    const { error, report, cause } = await run(steps, { resolver, resolverCalls: 1, cutShort, clock, began });
    expect([resolverCalls, report.target_resolver_calls, cause]).toEqual([['the delete button'], 1, 'environment']);
    expect(report.steps.map(({ status }) => status)).toEqual(['passed', 'passed', 'failed']);
    expect(error).toContain('flow_spec.quota_exceeded');
    expect(report.run).toMatchObject({ failure_class: 'quota_exceeded', alert: 'pause' });
  });

  test('a failing resolver is agent_uncertain, a resolver without an answer is spec_step_unresolvable', async () => {
    const down = await run([click('the delete button')], {
      resolver: () => Promise.reject(new Error('503')),
      ...{ cutShort, clock: skipShortPausesClock() },
    });
    expect([down.status, down.report.run.failure_class, down.report.run.alert]).toEqual([
      'unknown',
      'agent_uncertain',
      'retry_later',
    ]);
    const unsure = await run([click('the delete button')], {
      resolver: async () => undefined,
      ...{ cutShort, clock: skipShortPausesClock() },
    });
    expect([unsure.status, unsure.report.run.failure_class]).toEqual(['fail', 'spec_step_unresolvable']);
  });
});

describe('an act step', () => {
  test('an act step fills, presses keys and texts, hovers and scrolls', async () => {
    const field = { type: 'act', target: 'the code field' };
    const steps = [
      ...[{ ...field, action: 'fill', value: 'abc' }, see('typed 3'), { ...field, action: 'press', value: 'de' }, see('typed 5')],
      ...[{ ...field, action: 'press', value: 'Enter' }, see('entered'), { ...field, action: 'fill', value: '' }, see('typed 0')],
      { type: 'act', action: 'scroll', target: 'the far below link' },
      { type: 'act', action: 'hover', selector: 'text=Far below' },
      see('hovered'),
    ];
    expect((await run(steps)).error).toBe('');
  });

  test('an act step types a secret without recording it', async () => {
    const steps = [{ type: 'act', action: 'press', selector: 'input', value: '{{CODE}}' }, see('typed 14')];
    const { error, everything } = await run(steps, { env: { CODE: 'tr0ub4dor&3-xx' } });
    expect(error).toBe('');
    expect(everything).not.toContain('tr0ub4dor');
  });

  test('an act step refuses XPath in a variable that was read from the page', async () => {
    const steps = [
      { type: 'extract', selector: '#trap', into: 'trap' },
      { type: 'act', action: 'click', selector: '{{trap}}' },
    ];
    expect((await run(steps)).error).toContain('The selector "//button" is XPath, which is not allowed.');
  });
});
