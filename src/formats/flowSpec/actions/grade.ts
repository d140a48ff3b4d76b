// rw.flow_grade: fails the test when the findings of the flow are severe enough.
import * as z from 'zod';
import { type Action, type ActionContext, defineAction } from '../../../actions/action.js';
import { RecipeError } from '../../../evidence/recipeError.js';
import { createFlowError, type FailureClass } from '../failureClass.js';
import type { FlowRun, FlowRuns } from '../run/flowRun.js';
import { awaitLoginRejection } from '../run/runStep.js';

const failingSeverities = { critical: ['critical'], warning: ['critical', 'warning'], none: [] } as const;

export function gradeAction(flows: FlowRuns): Action {
  return defineAction({
    name: 'rw.flow_grade',
    description: 'Fails the test when a completed flow-spec has verified findings of the severity that the project sets.',
    schema: z.strictObject({}),
    examples: [{ description: 'Grade the flow.', node: { action: 'rw.flow_grade' } }],
    effect: 'none',
    asserts: true,
    fallible: () => true,
    needs: ['page'],
    async run(_, context) {
      const flow = flows.getRun(context);
      const { findings, settings } = flow;
      await assertNoLateFailure(flow, context);
      const severities: readonly string[] = failingSeverities[settings.failOn];
      const failingFindings = findings.filter(({ status, severity }) => status === 'verified' && severities.includes(severity));
      const asserts = [
        {
          operator: 'no_findings',
          path: 'the findings',
          expected: 0,
          actual: failingFindings.length,
          held: failingFindings.length === 0,
        },
      ];
      const output = { run: 'completed', fail_on: settings.failOn, findings: findings.length };
      if (failingFindings.length === 0) return { output, asserts };
      const findingLines = failingFindings.map(({ severity, node, message }) => `${severity} (${node}): ${message}`).join('\n');
      const message = `The flow completed with findings that fail the test (failOn is "${settings.failOn}"):\n${findingLines}`;
      return { output, asserts, failure: new RecipeError('flow_spec.findings', 'assertion', message) };
    },
  });
}

/**
 * Throws for a blocked navigation or a rejected login that appears only after the last step. Both end the run like a failed step.
 */
async function assertNoLateFailure(flow: FlowRun, context: ActionContext): Promise<void> {
  const failedNavigation = flow.takeFailedNavigation();
  if (failedNavigation)
    throw haltFlow(flow, context, {
      failure_class: 'spec_step_unresolvable',
      message: `After the last step a navigation to ${failedNavigation.url} was blocked: ${failedNavigation.why}`,
    });
  const rejected = flow.login.isOutcomeUnchecked ? await awaitLoginRejection(flow, context, { waitWhile: 'shown' }) : undefined;
  if (rejected !== undefined)
    throw haltFlow(flow, context, { failure_class: 'credential_rejected', message: `The login was rejected: ${rejected}.` });
}

type LateFailure = { failure_class: FailureClass; message: string };

function haltFlow(flow: FlowRun, { node: { id, intent = '' } }: ActionContext, failure: LateFailure): RecipeError {
  flow.halted = { id, intent, status: 'failed', ...failure };
  return createFlowError(failure.failure_class, failure.message);
}
