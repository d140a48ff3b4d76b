import * as z from 'zod';
import { RecipeError } from '../../evidence/failure.js';
import { type Action, defineAction } from '../action.js';
import { flowError } from './flowError.js';
import type { Flows } from './flowRun.js';

const failing = { critical: ['critical'], warning: ['critical', 'warning'], none: [] } as const;

export function gradeAction(flows: Flows): Action {
  return defineAction({
    name: 'rw.flow_grade',
    description: 'Fails the test by the verified findings of a flow-spec that completed, as severe as the project says.',
    schema: z.strictObject({}),
    examples: [{ description: 'Decide.', node: { action: 'rw.flow_grade' } }],
    effect: 'none',
    asserts: true,
    fallible: () => true,
    run(_, context) {
      const flow = flows.of(context);
      const { findings, settings } = flow;
      const astray = flow.ledAstray();
      if (astray)
        throw flowError('spec_step_unresolvable', `After the last step a navigation to ${astray.url} was blocked: ${astray.why}`);
      const severities: readonly string[] = failing[settings.failOn];
      const bad = findings.filter(({ status, severity }) => status === 'verified' && severities.includes(severity));
      const asserts = [
        { operator: 'no_findings', path: 'the findings', expected: 0, actual: bad.length, held: bad.length === 0 },
      ];
      const output = { run: 'completed', fail_on: settings.failOn, findings: findings.length };
      if (bad.length === 0) return { output, asserts };
      const said = bad.map(({ severity, node, message }) => `${severity} (${node}): ${message}`).join('\n');
      const message = `The flow completed with findings that fail the test (failOn is "${settings.failOn}"):\n${said}`;
      return { output, asserts, failure: new RecipeError('flow_spec.findings', 'assertion', message) };
    },
  });
}
