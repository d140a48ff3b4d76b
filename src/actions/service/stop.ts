import * as z from 'zod';
import { RecipeError } from '../../evidence/recipeError.js';
import { type ProcessResult, truncateOutput } from '../../system/processes/runProcess.js';
import { type ActionContext, type ActionResult, defineAction } from '../action.js';
import { maxRecordedBytes } from '../capturedText.js';
import { commandStopMs, outputOfProcess } from '../runCommand.js';
import { requireService, serviceName } from './serviceName.js';

const schema = z.strictObject({ name: serviceName });

export const serviceStop = defineAction({
  name: 'service.stop',
  description: 'Ends a service and its child processes, and returns its exit code and output.',
  schema,
  examples: [{ description: 'Ends the server.', node: { action: 'service.stop', name: 'shop' } }],
  effect: 'user',
  bypassesPage: true,
  fallible: () => true,
  stopMs: commandStopMs,
  run: stop,
});

/** The node does not fail when the service has ended by itself: its output and an issue of the run say so. */
async function stop({ name }: z.output<typeof schema>, { services, signal }: ActionContext): Promise<ActionResult> {
  const service = requireService(services, name);
  signal.addEventListener('abort', () => void service.stop({ isUrgent: true }), { once: true });
  const result = await service.stop();
  // The service may have ended by itself just before the stop, which is also an issue.
  const issue = service.takeIssue();
  services.remove(service);
  const { endedByItself } = service;
  const state = { name, stopped: !endedByItself, ...(endedByItself ? { endedByItself } : {}) };
  const { stdout, stderr, survivors } = result;
  const shortStreams = { stdout: truncateOutput(stdout, maxRecordedBytes), stderr: truncateOutput(stderr, maxRecordedBytes) };
  return {
    output: { ...state, ...outputOfProcess(result) },
    recorded: { ...state, ...outputOfProcess({ ...result, ...shortStreams }) },
    streams: { stdout, stderr },
    artifacts: service.captures,
    ...(issue ? { issues: [issue] } : {}),
    ...(survivors.length > 0 ? { failure: notStopped(name, result) } : {}),
  };
}

function notStopped(name: string, { survivors }: ProcessResult): RecipeError {
  const message = `The service ${JSON.stringify(name)} did not end when it was killed. Still running: ${survivors.join(', ')}.`;
  return new RecipeError('service.not_stopped', 'action', message);
}
