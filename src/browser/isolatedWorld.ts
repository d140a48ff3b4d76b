// A line to one page that the page and the host's report do not notice: a world of its own, reached by a CDP session.
import type { CDPSession, Page } from '@playwright/test';
import { RecipeError } from '../evidence/recipeError.js';
import { systemClock } from '../system/clock.js';
import { succeedsWithin } from '../system/succeedsWithin.js';

type PageFunction<A, R> = (argument: A) => R;

type WorldSession = { session: CDPSession; id: number };

export class IsolatedWorld {
  private session: Promise<CDPSession | undefined> | undefined;
  private contextId: number | undefined;

  constructor(readonly page: Page) {}

  /** Runs a function in the page, by its text. */
  async call<A, R>(code: PageFunction<A, R>, argument: A): Promise<R> {
    this.session ??= openSession(this.page);
    const session = await this.session;
    // Playwright gives sessions for Chromium only; elsewhere the report shows the call.
    if (!session) return (await this.page.evaluate(code as PageFunction<unknown, R>, argument)) as R;
    if (this.contextId === undefined) return this.callIn(await this.openWorld(session), code, argument);
    try {
      return await this.callIn({ session, id: this.contextId }, code, argument);
    } catch (thrown) {
      if (thrown instanceof RecipeError) throw thrown;
      // "Cannot find context": the page went elsewhere meanwhile.
      return this.callIn(await this.openWorld(session), code, argument);
    }
  }

  async close(): Promise<void> {
    // A page that is gone has no session any more.
    await (await this.session)?.detach().catch(() => undefined);
    this.session = undefined;
  }

  // Asked again, Chromium gives the world of that name that the document has already.
  private async openWorld(session: CDPSession): Promise<WorldSession> {
    const { frameTree } = await session.send('Page.getFrameTree');
    const asked = { frameId: frameTree.frame.id, worldName: 'recipewright' };
    const { executionContextId } = await session.send('Page.createIsolatedWorld', asked);
    this.contextId = executionContextId;
    return { session, id: executionContextId };
  }

  private async callIn<A, R>({ session, id }: WorldSession, code: PageFunction<A, R>, argument: A): Promise<R> {
    const { result, exceptionDetails } = await session.send('Runtime.callFunctionOn', {
      ...{ functionDeclaration: code.toString(), executionContextId: id, returnByValue: true },
      arguments: [{ value: argument }],
    });
    if (!exceptionDetails) return result.value as R;
    const description = exceptionDetails.exception?.description ?? exceptionDetails.text;
    throw new RecipeError('hud.refused', 'harness', `${this.page.url()} did not let it be shown: ${description}`);
  }
}

function openSession(page: Page): Promise<CDPSession | undefined> {
  return page
    .context()
    .newCDPSession(page)
    .catch(() => undefined);
}

// Whether a page does anything at all: one that hangs would hold up every picture of it.

const worldsByPage = new WeakMap<Page, IsolatedWorld>();

export function isResponsive(page: Page, ms: number): Promise<boolean> {
  const world = worldsByPage.get(page) ?? new IsolatedWorld(page);
  worldsByPage.set(page, world);
  return succeedsWithin(systemClock, ms, world.call(doNothing, undefined));
}

function doNothing(): void {}
