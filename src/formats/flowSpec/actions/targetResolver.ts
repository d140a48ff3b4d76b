// A project's own way to find what a description means, such as a model: asked last, and only so often.
import type { Page } from '@playwright/test';
import type { Candidate } from '../targets/resolveTarget.js';
import { flowError } from './flowError.js';
import type { Settled } from './settings.js';

export type ResolverRequest = {
  target: string;
  action: string;
  url: string;
  /** What on the page could be meant, without the secrets of the run. */
  candidates: readonly Candidate[];
  /** As it is: what is read here by hand may hold what was typed. */
  page: Page;
  signal: AbortSignal;
};

/** Gives the index of a candidate, or a selector; nothing when it does not know. Whatever it throws means that it is not available. */
export type TargetResolver = (request: ResolverRequest) => Promise<{ index: number } | { selector: string } | undefined>;

type Answer = ReturnType<TargetResolver>;

/** Where a host gives one for the test alone. */
export const resolverFixture = 'targetResolver';

export class ResolverQuota {
  asked = 0;

  constructor(private readonly settings: Pick<Settled, 'resolver' | 'resolverCalls'>) {}

  /** What is meant. `fixture`: the resolver of the host, which goes before that of the setup module. */
  async ask(request: ResolverRequest, fixture: TargetResolver | undefined): Answer {
    const { resolver: usual, resolverCalls } = this.settings;
    const resolver = fixture ?? usual;
    if (!resolver) return undefined;
    if (this.asked >= resolverCalls) {
      const message = `The target ${JSON.stringify(request.target)} was not asked for: the run has used all ${resolverCalls} calls of its target resolver.`;
      throw flowError('quota_exceeded', message);
    }
    this.asked++;
    const asking = async (): Answer => resolver(request);
    return asking().catch((cause: unknown) => {
      const why = cause instanceof Error ? cause.message : String(cause);
      throw flowError(
        'agent_uncertain',
        `The target resolver was not available for ${JSON.stringify(request.target)}: ${why}`,
        cause,
      );
    });
  }
}
