// Counts what the voters of a council said.
import * as z from 'zod';
import type { Action, ActionContext, BodyResult } from '../../../actions/action.js';
import { canonicalJson } from '../../../evidence/digest.js';
import { RecipeError } from '../../../evidence/recipeError.js';
import { unescapeBraces } from '../escapeBraces.js';
import { commonFields, defineEscapedAction, dict, text } from './fields.js';
import { describeMissingRouter, finishNode, type RuntimeServices, routerPrograms } from './finishNode.js';
import { parseAgentResult } from './parseAgentResult.js';

const schema = z.strictObject({
  ...commonFields,
  strategy: text.describe('consensus, majority or unanimous'),
  ...{ agent: text.optional(), system_prompt: text.optional(), config: dict.optional(), overrides: dict.optional() },
});

const example = {
  description: 'Three voters.',
  node: { action: 'rw.council', strategy: 'majority', node: 'judge', level: 0, layer: 0, body: { nodes: {} } },
};

export function councilAction(runtime: RuntimeServices): Action {
  return defineEscapedAction({
    name: 'rw.council',
    description:
      'Asks its voters side by side and takes what they agree on: all who answer (consensus), more than half (majority), or everyone (unanimous).',
    schema,
    examples: [example],
    effect: 'none',
    fallible: () => true,
    planRegion: ({ body }) =>
      body && { kind: 'all', nodes: body.nodes, inTurn: false, pipe: false, limit: Number.POSITIVE_INFINITY },
    programs: ({ fields }) => routerPrograms(runtime.handlers, unescapeBraces(fields.routes)),
    describeUnsupported: ({ fields }) => describeMissingRouter(runtime.handlers, unescapeBraces(fields.routes)),
    async run(fields, context) {
      runtime.instances.get(fields, context).countStep(context.path);
      const ballots = collectBallots(context);
      const { strategy } = fields;
      const counted = countVotes(strategy, ballots);
      const details = { strategy, votes: ballots };
      if ('problem' in counted) {
        const message = `The council of ${JSON.stringify(fields.node)} came to no decision by ${strategy}: ${counted.problem}.`;
        // That nobody let them vote is no fault of what they vote on.
        const [code, kind] = ballots.some(({ unasked }) => unasked)
          ? (['manual.unanswered', 'undecided'] as const)
          : (['runtime.no_decision', 'action'] as const);
        return { output: details, failure: new RecipeError(code, kind, message) };
      }
      const { output, update } = parseAgentResult('The council', counted.winner);
      return finishNode({ runtime, fields, context }, { output, update, details });
    },
  });
}

/** `unasked`: a person was to agree first, and nobody answered. */
type Ballot = { voter: string; vote?: unknown; failed?: true; unasked?: true };

function collectBallots({ node, body }: ActionContext): Ballot[] {
  const voters = [...(node.body?.nodes.values() ?? [])];
  return voters.map(({ id, fields: { agent } }) => ({ voter: String(unescapeBraces(agent)), ...readVote(id, body) }));
}

function readVote(id: string, body: BodyResult | undefined): Omit<Ballot, 'voter'> {
  const voterOutput = body?.outputs.get(id) as { output?: unknown; approval?: { answer?: unknown } } | undefined;
  if (voterOutput && Object.hasOwn(voterOutput, 'output')) return { vote: voterOutput.output };
  return voterOutput?.approval && voterOutput.approval.answer === undefined ? { failed: true, unasked: true } : { failed: true };
}

/** Votes are the same when they are the same JSON. Null is no opinion. */
function countVotes(strategy: string, ballots: readonly Ballot[]): { winner: unknown } | { problem: string } {
  const castVotes = ballots.filter(({ vote, failed }) => !failed && vote !== null && vote !== undefined);
  const counts = new Map<string, { vote: unknown; count: number }>();
  for (const { vote } of castVotes) {
    const key = canonicalJson(vote);
    counts.set(key, { vote, count: (counts.get(key)?.count ?? 0) + 1 });
  }
  const [first, ...others] = [...counts.values()].sort((a, b) => b.count - a.count);
  if (!first) return { problem: `none of ${ballots.length} voters gave an answer` };
  const tally = [first, ...others].map(({ vote, count }) => `${count} × ${canonicalJson(vote).slice(0, 60)}`).join(', ');
  const needed = new Map([
    ['consensus', castVotes.length],
    ['majority', Math.floor(ballots.length / 2) + 1],
    ['unanimous', ballots.length],
  ]).get(strategy);
  if (needed === undefined) return { problem: 'nobody can count by it' };
  if (first.count >= needed) return { winner: first.vote };
  return { problem: `${needed} of ${ballots.length} voters have to agree, and they said ${tally}` };
}
