import * as z from 'zod';
import { declareAction } from '../action.js';
import { lacksTarget, placeFields } from './target.js';

const point = z.strictObject({ x: z.number(), y: z.number() });

export const gesture = declareAction({
  name: 'ui.gesture',
  description: 'Moves a finger or the pointer: swipe, pan, drag, or press and hold.',
  schema: z.strictObject({
    ...placeFields,
    kind: z.enum(['swipe', 'pan', 'drag', 'long_press']),
    direction: z.enum(['up', 'down', 'left', 'right']).optional(),
    distance: z.number().min(1).optional().describe('In CSS pixels.'),
    path: z.array(point).min(1).optional().describe('Points relative to where it begins.'),
    delta: point.optional().describe('One point relative to where it begins.'),
    duration_ms: z.int().min(1).max(60_000).optional(),
    hold_ms: z.int().min(1).max(60_000).optional(),
  }),
  examples: [
    {
      description: 'Swipe the list to the left.',
      node: { action: 'ui.gesture', kind: 'swipe', test_id: 'list', direction: 'left', distance: 180 },
    },
  ],
  effect: 'user',
  needs: ['page'],
  lacks: (node) => lacksTarget(node, []),
});
