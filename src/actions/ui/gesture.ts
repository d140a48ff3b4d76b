import * as z from 'zod';
import { openPointerInput, type Point, type PointerInput } from '../../browser/pointerInput.js';
import { runPagesOf } from '../../browser/runPages.js';
import { describeTarget, type Target } from '../../browser/target.js';
import { type ActionContext, defineAction } from '../action.js';
import { actOnElement } from './actOnElement.js';
import { dialogFields, withDialogAnswer } from './dialogAnswer.js';
import { refuseOutsideView } from './press.js';
import { describeMissingTarget, pointFields, targetFields, withText } from './targetFields.js';
import { pageOf, pageTimeoutMs, withPageErrors } from './withPageErrors.js';

const point = z.strictObject({ x: z.number(), y: z.number() });
const durationMs = z.int().min(1).max(60_000).optional();

const schema = z.strictObject({
  ...targetFields,
  ...pointFields,
  kind: z
    .enum(['swipe', 'pan', 'drag', 'long_press'])
    .describe('swipe always uses touch. The others use touch on a page with a touch screen, otherwise the mouse.'),
  direction: z.enum(['up', 'down', 'left', 'right']).optional().describe('The direction of the movement.'),
  distance: z.number().min(1).optional().describe('In CSS pixels. Default: 200.'),
  path: z.array(point).min(1).max(1_000).optional().describe('Points relative to the start.'),
  delta: point.optional().describe('A single point relative to the start.'),
  duration_ms: durationMs.describe('The duration of the movement. Default: 300.'),
  hold_ms: durationMs.describe('How long to hold before the movement. Default: 600 for long_press, otherwise 0.'),
  ...dialogFields,
});

export const gesture = defineAction({
  name: 'ui.gesture',
  description: 'Moves a finger or the mouse: swipe, pan, drag, or press and hold.',
  schema,
  examples: [
    {
      description: 'Swipe the list to the left.',
      node: { action: 'ui.gesture', kind: 'swipe', test_id: 'list', direction: 'left', distance: 180 },
    },
    { description: 'Drag the slider.', node: { action: 'ui.gesture', kind: 'drag', test_id: 'thumb', delta: { x: 120, y: 0 } } },
    { description: 'Hold the message.', node: { action: 'ui.gesture', kind: 'long_press', text: 'Hello', hold_ms: 700 } },
  ],
  effect: 'user',
  fallible: () => true,
  needs: ['page'],
  describeMissing: (node) => describeMissingTarget(node, ['text', 'label', 'x']) ?? describeMissingMovement(node.fields),
  async run({ dialog, ...fields }, context) {
    return { output: await withDialogAnswer(context, dialog, () => performGesture(fields, context)) };
  },
});

type Fields = Omit<z.output<typeof schema>, 'dialog'>;

function describeMissingMovement({ kind, direction, path, delta }: Readonly<Record<string, unknown>>): string | undefined {
  if (kind === 'long_press' || (direction ?? path ?? delta) !== undefined) return undefined;
  return '"direction", "path" or "delta"';
}

async function performGesture(fields: Fields, context: ActionContext): Promise<Record<string, unknown>> {
  const { kind, x, y, duration_ms: moveMs = 300, hold_ms: holdField } = fields;
  const point = x === undefined || y === undefined ? undefined : { x, y };
  const target: Target = withText(fields);
  const from = await findStartPoint(context, target, point);
  const offsets = kind === 'long_press' ? [] : offsetsOf(fields);
  const holdMs = holdField ?? (kind === 'long_press' ? 600 : 0);
  const points = offsets.map((step) => ({ x: from.x + step.x, y: from.y + step.y }));
  await withPageErrors(async () => {
    const pointer = await openPointerInput(runPagesOf(pageOf(context)), { touchOnly: kind === 'swipe', call: context.call });
    await movePointer(pointer, { from, points, holdMs, moveMs }, context);
  }, context);
  return {
    gesture: kind,
    ...(describeTarget(target) === '' ? {} : { target: describeTarget(target) }),
    from,
    to: points.at(-1) ?? from,
  };
}

/** Waits until the element can be touched. Returns its middle, or `point` relative to it. Without an element, returns `point`. */
async function findStartPoint(context: ActionContext, target: Target, point: Point | undefined): Promise<Point> {
  if (describeTarget(target) === '' && point) {
    await withPageErrors(() => refuseOutsideView(context, point), context);
    return point;
  }
  const options = point ? { position: point } : {};
  return actOnElement(context, target, async (element) => {
    await context.call(element, 'hover', { timeout: pageTimeoutMs(context), ...options });
    const box = await context.call(element, 'boundingBox', { timeout: pageTimeoutMs(context) });
    const { x, y, width, height } = box ?? { x: 0, y: 0, width: 0, height: 0 };
    return { x: x + (point?.x ?? width / 2), y: y + (point?.y ?? height / 2) };
  });
}

const directions = { up: { x: 0, y: -1 }, down: { x: 0, y: 1 }, left: { x: -1, y: 0 }, right: { x: 1, y: 0 } } as const;

function offsetsOf({ path, delta, direction, distance = 200 }: Fields): readonly Point[] {
  if (path) return path;
  if (delta) return [delta];
  const { x, y } = directions[direction ?? 'up'];
  return [{ x: x * distance, y: y * distance }];
}

type Movement = { from: Point; points: readonly Point[]; holdMs: number; moveMs: number };

/** Moves in small steps, because pages distinguish gestures by their speed. */
async function movePointer(
  pointer: PointerInput,
  { from, points, holdMs, moveMs }: Movement,
  context: ActionContext,
): Promise<void> {
  await pointer.down(from);
  try {
    if (holdMs > 0) await pauseGesture(context, holdMs);
    const stepsPerPoint = Math.max(1, Math.min(10, Math.round(moveMs / 16 / Math.max(1, points.length))));
    let last = from;
    for (const next of points) {
      for (let step = 1; step <= stepsPerPoint; step++) {
        const progress = step / stepsPerPoint;
        await pointer.move({ x: last.x + (next.x - last.x) * progress, y: last.y + (next.y - last.y) * progress });
        await pauseGesture(context, moveMs / points.length / stepsPerPoint);
      }
      last = next;
    }
  } finally {
    await pointer.up();
  }
}

function pauseGesture({ clock }: ActionContext, ms: number): Promise<void> {
  return new Promise((resolve) => clock.after(ms, resolve));
}
