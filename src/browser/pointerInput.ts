// What touches the page: a finger where there can be one, else the mouse.
import { type Call, evaluateInPage } from './pageCalls.js';
import type { RunPages } from './runPages.js';

export type Point = { x: number; y: number };

export type PointerInput = { down(at: Point): Promise<void>; move(to: Point): Promise<void>; up(): Promise<void> };

/** `isFinger`: only a finger does it. Other gestures are a finger's where the page is used by touch. */
export async function openPointerInput(
  stage: RunPages,
  { touchOnly, call }: { touchOnly: boolean; call: Call },
): Promise<PointerInput> {
  const { page } = stage;
  const useTouch = touchOnly || (await evaluateInPage(call, page, { run: supportsTouch, argument: undefined }));
  // Only Chromium takes a finger's movements; elsewhere a mouse that is held down comes closest.
  const session = useTouch ? await stage.openCdpSession().catch(() => undefined) : undefined;
  if (!session) {
    const { mouse } = page;
    return {
      async down({ x, y }) {
        await call(mouse, 'move', x, y);
        await call(mouse, 'down');
      },
      move: ({ x, y }) => call(mouse, 'move', x, y),
      up: () => call(mouse, 'up'),
    };
  }
  const touch = async (type: 'touchStart' | 'touchMove' | 'touchEnd', touchPoints: Point[]): Promise<void> => {
    await session.send('Input.dispatchTouchEvent', { type, touchPoints });
  };
  return { down: (at) => touch('touchStart', [at]), move: (to) => touch('touchMove', [to]), up: () => touch('touchEnd', []) };
}

/** Runs in the page. */
const supportsTouch = (): boolean =>
  (globalThis as unknown as { navigator: { maxTouchPoints: number } }).navigator.maxTouchPoints > 0;
