// Points at the page for gestures: by touch where the page supports it, otherwise by mouse.
import { type Call, evaluateInPage } from './pageCalls.js';
import type { RunPages } from './runPages.js';

export type Point = { x: number; y: number };

export type PointerInput = { down(at: Point): Promise<void>; move(to: Point): Promise<void>; up(): Promise<void> };

/** `touchOnly`: the gesture needs touch. Without it, touch is used when the page has a touch screen. */
export async function openPointerInput(
  runPages: RunPages,
  { touchOnly, call }: { touchOnly: boolean; call: Call },
): Promise<PointerInput> {
  const { page } = runPages;
  const useTouch = touchOnly || (await evaluateInPage(call, page, { run: supportsTouch, argument: undefined }));
  // Only Chromium can send touch movements. In other browsers, dragging the mouse comes closest.
  const session = useTouch ? await runPages.openCdpSession().catch(() => undefined) : undefined;
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
