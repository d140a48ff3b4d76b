// Runs functions in an isolated world of a page, where neither the page nor the report of the host notices them.
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

  /** Runs a function in the page. Only its source text is sent, so it must not use anything outside itself. */
  async call<A, R>(code: PageFunction<A, R>, argument: A): Promise<R> {
    this.session ??= openSession(this.page);
    const session = await this.session;
    // Only Chromium has CDP sessions. In other browsers the report shows the call.
    if (!session) return (await this.page.evaluate(code as PageFunction<unknown, R>, argument)) as R;
    if (this.contextId === undefined) return this.callIn(await this.openWorld(session), code, argument);
    try {
      return await this.callIn({ session, id: this.contextId }, code, argument);
    } catch (thrown) {
      if (thrown instanceof RecipeError) throw thrown;
      // "Cannot find context": the page has navigated.
      return this.callIn(await this.openWorld(session), code, argument);
    }
  }

  async close(): Promise<void> {
    // The session of a closed page has ended already.
    await (await this.session)?.detach().catch(() => undefined);
    this.session = undefined;
  }

  // Chromium returns the existing world when the document already has one of this name.
  private async openWorld(session: CDPSession): Promise<WorldSession> {
    const { frameTree } = await session.send('Page.getFrameTree');
    const { executionContextId } = await session.send('Page.createIsolatedWorld', {
      frameId: frameTree.frame.id,
      worldName: 'recipewright',
    });
    this.contextId = executionContextId;
    return { session, id: executionContextId };
  }

  private async callIn<A, R>({ session, id }: WorldSession, code: PageFunction<A, R>, argument: A): Promise<R> {
    const { result, exceptionDetails } = await session.send('Runtime.callFunctionOn', {
      functionDeclaration: code.toString(),
      executionContextId: id,
      returnByValue: true,
      arguments: [{ value: argument }],
    });
    if (!exceptionDetails) return result.value as R;
    const description = exceptionDetails.exception?.description ?? exceptionDetails.text;
    throw new RecipeError('hud.refused', 'harness', `a script failed on ${this.page.url()}: ${description}`);
  }
}

function openSession(page: Page): Promise<CDPSession | undefined> {
  return page
    .context()
    .newCDPSession(page)
    .catch(() => undefined);
}

const worldsByPage = new WeakMap<Page, IsolatedWorld>();

/** Whether the page answers in time. A page that hangs would block every screenshot of it. */
export function isResponsive(page: Page, ms: number): Promise<boolean> {
  const world = worldsByPage.get(page) ?? new IsolatedWorld(page);
  worldsByPage.set(page, world);
  return succeedsWithin(systemClock, ms, world.call(doNothing, undefined));
}

function doNothing(): void {}
