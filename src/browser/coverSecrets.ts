// Keeps the secrets of a run out of a picture, wherever its page shows them as text: what holds one is told apart here,
// so that no secret has to go to the page.
import type { Frame, Page } from '@playwright/test';
import { RecipeError } from '../evidence/failure.js';
import type { Call } from './call.js';
import { layCovers, liftCovers, readTexts, type Spots, type Texts } from './coverPage.js';
import { wasLeft } from './pageFacts.js';
import { type StageOptions, stageOf } from './stage.js';

type Evaluates = { evaluate(work: unknown, given?: unknown): Promise<unknown> };
type Evaluate = (frame: Frame, work: unknown, given?: unknown) => Promise<unknown>;
type SecretsIn = NonNullable<StageOptions['secretsIn']>;

const mostTries = 5;

/** Takes a picture again when a secret came into sight meanwhile. A page of a run without secrets is not asked. */
export async function coverSecrets<T>(page: Page, take: () => Promise<T>, call?: Call): Promise<T> {
  const { secretsIn } = stageOf(page).options;
  if (!secretsIn) return take();
  const evaluate: Evaluate = (frame, work, given) =>
    call ? call(frame as unknown as Evaluates, 'evaluate', work, given) : (frame as unknown as Evaluates).evaluate(work, given);
  const covered = new Set<Frame>();
  const lay = async (): Promise<boolean> => {
    const frames = page.frames();
    const laid = await Promise.all(frames.map((frame) => layIn(frame, evaluate, secretsIn)));
    for (const [index, frame] of frames.entries()) if (laid[index]) covered.add(frame);
    return laid.some(Boolean);
  };
  try {
    await lay();
    for (let left = mostTries; left > 0; left--) {
      const taken = await take();
      if (!(await lay())) return taken;
    }
  } finally {
    // A frame that is left or closed takes its covers along.
    await Promise.all([...covered].map((frame) => evaluate(frame, liftCovers).catch(() => undefined)));
  }
  const message = `${page.url()} shows a secret in ever new places, so that no picture without it could be taken. Wait with ui.wait_for until it has come to rest.`;
  throw new RecipeError('ui.page_moves', 'action', message);
}

/** Whether something had to be covered, or nobody can say. */
async function layIn(frame: Frame, evaluate: Evaluate, secretsIn: SecretsIn): Promise<boolean> {
  try {
    const spots = spotsIn((await evaluate(frame, readTexts)) as Texts, secretsIn);
    if (spots.places.length === 0 && spots.fields.length === 0) return false;
    return ((await evaluate(frame, layCovers, spots)) as number) > 0;
  } catch (thrown) {
    if (frame.isDetached() || wasLeft(thrown)) return true;
    throw thrown;
  }
}

function spotsIn({ text, fields }: Texts, secretsIn: SecretsIn): Spots {
  const told = [...fields.keys()].filter((index) => secretsIn(fields[index] as string).length > 0);
  return { places: secretsIn(text), fields: told };
}
