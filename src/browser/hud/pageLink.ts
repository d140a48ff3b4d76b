// A line to one page that the page and the host's report do not notice: a world of its own, reached by a CDP session.
import type { CDPSession, Page } from '@playwright/test';
import { RecipeError } from '../../evidence/failure.js';

export type PageFunction<A, R> = (argument: A) => R;

type World = { session: CDPSession; id: number };

export class PageLink {
  private session: Promise<CDPSession | undefined> | undefined;
  private world: number | undefined;

  constructor(readonly page: Page) {}

  /** Runs a function in the page, by its text. */
  async call<A, R>(code: PageFunction<A, R>, argument: A): Promise<R> {
    this.session ??= openSession(this.page);
    const session = await this.session;
    // Playwright gives sessions for Chromium only; elsewhere the report shows the call.
    if (!session) return (await this.page.evaluate(code as PageFunction<unknown, R>, argument)) as R;
    if (this.world === undefined) return this.callIn(await this.openWorld(session), code, argument);
    try {
      return await this.callIn({ session, id: this.world }, code, argument);
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
  private async openWorld(session: CDPSession): Promise<World> {
    const { frameTree } = await session.send('Page.getFrameTree');
    const asked = { frameId: frameTree.frame.id, worldName: 'recipewright' };
    const { executionContextId } = await session.send('Page.createIsolatedWorld', asked);
    this.world = executionContextId;
    return { session, id: executionContextId };
  }

  private async callIn<A, R>({ session, id }: World, code: PageFunction<A, R>, argument: A): Promise<R> {
    const { result, exceptionDetails } = await session.send('Runtime.callFunctionOn', {
      ...{ functionDeclaration: code.toString(), executionContextId: id, returnByValue: true },
      arguments: [{ value: argument }],
    });
    if (!exceptionDetails) return result.value as R;
    const said = exceptionDetails.exception?.description ?? exceptionDetails.text;
    throw new RecipeError('hud.refused', 'harness', `${this.page.url()} did not let it be shown: ${said}`);
  }
}

function openSession(page: Page): Promise<CDPSession | undefined> {
  return page
    .context()
    .newCDPSession(page)
    .catch(() => undefined);
}
