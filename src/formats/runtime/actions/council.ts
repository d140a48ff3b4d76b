// The action rw.council asks its voters and counts their votes.
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
      'Asks its voters in parallel and returns the answer they agree on: all voters that answer (consensus), more than half of all voters (majority), or every voter (unanimous).',
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
      const decision = countVotes(strategy, ballots);
      const details = { strategy, votes: ballots };
      if ('problem' in decision) {
        const message = `The council of ${JSON.stringify(fields.node)} reached no decision by ${strategy}: ${decision.problem}.`;
        // A missing approval of a vote says nothing about the app under test.
        const [code, kind] = ballots.some(({ unasked }) => unasked)
          ? (['manual.unanswered', 'undecided'] as const)
          : (['runtime.no_decision', 'action'] as const);
        return { output: details, failure: new RecipeError(code, kind, message) };
      }
      const { output, update } = parseAgentResult('The council', decision.winner);
      return finishNode({ runtime, fields, context }, { output, update, details });
    },
  });
}

/** `unasked`: the voter was not asked, because the approval of a person was required and missing. */
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

/** Counts equal JSON values as the same vote. Null is not a vote. */
function countVotes(strategy: string, ballots: readonly Ballot[]): { winner: unknown } | { problem: string } {
  const validBallots = ballots.filter(({ vote, failed }) => !failed && vote !== null && vote !== undefined);
  const counts = new Map<string, { vote: unknown; count: number }>();
  for (const { vote } of validBallots) {
    const key = canonicalJson(vote);
    counts.set(key, { vote, count: (counts.get(key)?.count ?? 0) + 1 });
  }
  const [first, ...others] = [...counts.values()].sort((a, b) => b.count - a.count);
  if (!first) return { problem: `none of the ${ballots.length} voters answered` };
  const tally = [first, ...others].map(({ vote, count }) => `${count} × ${canonicalJson(vote).slice(0, 60)}`).join(', ');
  const needed = new Map([
    ['consensus', validBallots.length],
    ['majority', Math.floor(ballots.length / 2) + 1],
    ['unanimous', ballots.length],
  ]).get(strategy);
  if (needed === undefined) return { problem: 'the strategy is unknown' };
  if (first.count >= needed) return { winner: first.vote };
  return { problem: `${needed} of ${ballots.length} voters must agree, but the votes are ${tally}` };
}
