import { createFlowError } from '../failureClass.js';
import type { ResolvedSettings, ResolverRequest, TargetResolver } from '../settings.js';

export class ResolverQuota {
  callCount = 0;

  constructor(private readonly settings: Pick<ResolvedSettings, 'resolver' | 'resolverCalls'>) {}

  /** What is meant. `fixture`: the resolver of the host, which goes before that of the setup module. */
  async ask(request: ResolverRequest, fixture: TargetResolver | undefined): ResolverAnswer {
    const { resolver: defaultResolver, resolverCalls } = this.settings;
    const resolver = fixture ?? defaultResolver;
    if (!resolver) return undefined;
    if (this.callCount >= resolverCalls) {
      const message = `The target ${JSON.stringify(request.target)} was not asked for: the run has used all ${resolverCalls} calls of its target resolver.`;
      throw createFlowError('quota_exceeded', message);
    }
    this.callCount++;
    const asking = async (): ResolverAnswer => resolver(request);
    return asking().catch((cause: unknown) => {
      const why = cause instanceof Error ? cause.message : String(cause);
      throw createFlowError(
        'agent_uncertain',
        `The target resolver was not available for ${JSON.stringify(request.target)}: ${why}`,
        cause,
      );
    });
  }
}

type ResolverAnswer = ReturnType<TargetResolver>;
/** Where a host gives one for the test alone. */

export const resolverFixture = 'targetResolver';
