import * as z from 'zod';
import { type Action, type ActionContext, defineAction } from '../../../actions/action.js';
import { RecipeError } from '../../../evidence/failure.js';
import type { FailureClass } from '../failureClass.js';
import { flowError } from './flowError.js';
import type { FlowRun, Flows } from './flowRun.js';
import { rejectionOf } from './rejectionOf.js';

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
    needs: ['page'],
    async run(_, context) {
      const flow = flows.of(context);
      const { findings, settings } = flow;
      await noLateFailure(flow, context);
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

/** What became of the last step shows only after it: whatever was found then ends the run as a step would have. */
async function noLateFailure(flow: FlowRun, context: ActionContext): Promise<void> {
  const astray = flow.ledAstray();
  if (astray)
    throw halted(flow, context, {
      failure_class: 'spec_step_unresolvable',
      message: `After the last step a navigation to ${astray.url} was blocked: ${astray.why}`,
    });
  const rejected = flow.login.isOpen ? await rejectionOf(flow, context, { asLongAs: 'shown' }) : undefined;
  if (rejected !== undefined)
    throw halted(flow, context, { failure_class: 'credential_rejected', message: `The login was rejected: ${rejected}.` });
}

type Late = { failure_class: FailureClass; message: string };

function halted(flow: FlowRun, { node: { id, intent = '' } }: ActionContext, late: Late): RecipeError {
  flow.halted = { id, intent, status: 'failed', ...late };
  return flowError(late.failure_class, late.message);
}
