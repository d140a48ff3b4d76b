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
    .describe('A finger swipes; the others are done by what the page is used with.'),
  direction: z.enum(['up', 'down', 'left', 'right']).optional().describe('Where the finger goes.'),
  distance: z.number().min(1).optional().describe('In CSS pixels; 200 when it is left out.'),
  path: z.array(point).min(1).max(1_000).optional().describe('Points relative to where it begins.'),
  delta: point.optional().describe('One point relative to where it begins.'),
  duration_ms: durationMs.describe('How long the movement takes; 300 when it is left out.'),
  hold_ms: durationMs.describe('How long it is held: 600 for long_press; before the movement for the others.'),
  ...dialogFields,
});

export const gesture = defineAction({
  name: 'ui.gesture',
  description: 'Moves a finger or the pointer: swipe, pan, drag, or press and hold.',
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
  return 'where it goes: "direction", "path" or "delta"';
}

async function performGesture(fields: Fields, context: ActionContext): Promise<Record<string, unknown>> {
  const { kind, x, y, duration_ms: movesMs = 300, hold_ms: authoredHoldMs } = fields;
  const spot = x === undefined || y === undefined ? undefined : { x, y };
  const target: Target = withText(fields);
  const from = await startPoint(context, target, spot);
  const offsets = kind === 'long_press' ? [] : offsetsOf(fields);
  const holdMs = authoredHoldMs ?? (kind === 'long_press' ? 600 : 0);
  const points = offsets.map((step) => ({ x: from.x + step.x, y: from.y + step.y }));
  await withPageErrors(async () => {
    const hand = await openPointerInput(runPagesOf(pageOf(context)), { touchOnly: kind === 'swipe', call: context.call });
    await move(hand, { from, points, holdMs, movesMs }, context);
  }, context);
  return {
    gesture: kind,
    ...(describeTarget(target) === '' ? {} : { target: describeTarget(target) }),
    from,
    to: points.at(-1) ?? from,
  };
}

/** The middle of the element, or a point of it, once a user could touch it there. */
async function startPoint(context: ActionContext, target: Target, spot: Point | undefined): Promise<Point> {
  if (describeTarget(target) === '' && spot) {
    await withPageErrors(() => refuseOutsideView(context, spot), context);
    return spot;
  }
  const options = spot ? { position: spot } : {};
  return actOnElement(context, target, async (element) => {
    await context.call(element, 'hover', { timeout: pageTimeoutMs(context), ...options });
    const box = await context.call(element, 'boundingBox', { timeout: pageTimeoutMs(context) });
    const { x, y, width, height } = box ?? { x: 0, y: 0, width: 0, height: 0 };
    return { x: x + (spot?.x ?? width / 2), y: y + (spot?.y ?? height / 2) };
  });
}

const directions = { up: { x: 0, y: -1 }, down: { x: 0, y: 1 }, left: { x: -1, y: 0 }, right: { x: 1, y: 0 } } as const;

function offsetsOf({ path, delta, direction, distance = 200 }: Fields): readonly Point[] {
  if (path) return path;
  if (delta) return [delta];
  const { x, y } = directions[direction ?? 'up'];
  return [{ x: x * distance, y: y * distance }];
}

type Movement = { from: Point; points: readonly Point[]; holdMs: number; movesMs: number };

/** Pages tell gestures apart by their speed, so that a movement takes its time. */
async function move(hand: PointerInput, { from, points, holdMs, movesMs }: Movement, context: ActionContext): Promise<void> {
  await hand.down(from);
  try {
    if (holdMs > 0) await pauseGesture(context, holdMs);
    const perPoint = Math.max(1, Math.min(10, Math.round(movesMs / 16 / Math.max(1, points.length))));
    let last = from;
    for (const next of points) {
      for (let step = 1; step <= perPoint; step++) {
        await hand.move({ x: last.x + ((next.x - last.x) * step) / perPoint, y: last.y + ((next.y - last.y) * step) / perPoint });
        await pauseGesture(context, movesMs / points.length / perPoint);
      }
      last = next;
    }
  } finally {
    await hand.up();
  }
}

function pauseGesture({ clock }: ActionContext, ms: number): Promise<void> {
  return new Promise((resolve) => clock.after(ms, resolve));
}
