import * as z from 'zod';
import { declareAction } from '../action.js';
import { placeFields } from './target.js';

export const scroll = declareAction({
  name: 'ui.scroll',
  description: 'Scrolls the page or a container by a distance, or an element into view.',
  schema: z.strictObject({
    ...placeFields,
    delta_x: z.number().optional(),
    delta_y: z.number().optional().describe('600 when neither distance is given.'),
    scroll_into_view: z.boolean().optional(),
    into_view: z.boolean().optional().describe('The same as scroll_into_view.'),
  }),
  examples: [
    { description: 'Show the row.', node: { action: 'ui.scroll', test_id: 'asset-row-9', scroll_into_view: true } },
    { description: 'Scroll the list.', node: { action: 'ui.scroll', test_id: 'asset-list', delta_y: 800 } },
  ],
  effect: 'user',
  needs: ['page'],
});
