// Calls the target resolver of the project, within its quota.
import { createFlowError } from '../failureClass.js';
import type { ResolvedSettings, ResolverRequest, TargetResolver } from '../settings.js';

/** The fixture with which a host sets the resolver of one test. */
export const resolverFixture = 'targetResolver';

type ResolverAnswer = ReturnType<TargetResolver>;

export class ResolverQuota {
  callCount = 0;

  constructor(private readonly settings: Pick<ResolvedSettings, 'resolver' | 'resolverCalls'>) {}

  /** Asks the resolver. `fixture`, the resolver of the test, takes precedence over the resolver of the project. */
  async ask(request: ResolverRequest, fixture: TargetResolver | undefined): ResolverAnswer {
    const { resolver: defaultResolver, resolverCalls } = this.settings;
    const resolver = fixture ?? defaultResolver;
    if (!resolver) return undefined;
    if (this.callCount >= resolverCalls) {
      const message = `The target ${JSON.stringify(request.target)} was not resolved, because the run has used all ${resolverCalls} calls of its target resolver. Raise "resolverCalls", or pin a selector.`;
      throw createFlowError('quota_exceeded', message);
    }
    this.callCount++;
    try {
      return await resolver(request);
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause);
      throw createFlowError(
        'agent_uncertain',
        `The target resolver was not available for ${JSON.stringify(request.target)}: ${reason}`,
        cause,
      );
    }
  }
}
