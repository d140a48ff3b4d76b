import * as z from 'zod';
import { defineAction } from '../action.js';
import { readPage } from '../ui/readPage.js';
import { pageOf } from '../ui/withPageErrors.js';

export const status = defineAction({
  name: 'app.status',
  description: 'Reads the state of the app: URL, title, and whether it has loaded, is visible, has the focus and is online.',
  schema: z.strictObject({}),
  examples: [
    {
      description: 'The app has loaded and is in front.',
      node: {
        action: 'app.status',
        assert: {
          all: [
            { path: '$.ready', operator: 'eq', value: 'complete' },
            { path: '$.visible', operator: 'eq', value: true },
          ],
        },
      },
    },
  ],
  effect: 'reads',
  fallible: () => false,
  needs: ['page'],
  async run(_, context) {
    const page = pageOf(context);
    const pages = page.context().pages().length;
    if (page.isClosed()) return { output: { running: false, pages } };
    const state = await readPage<object>(context, statusScript);
    return { output: { running: true, ...state, pages } };
  },
});

const statusScript = `({
  url: location.href,
  title: document.title,
  ready: document.readyState,
  visible: document.visibilityState === 'visible',
  focused: document.hasFocus(),
  online: navigator.onLine,
  viewport: { width: innerWidth, height: innerHeight, deviceScaleFactor: devicePixelRatio },
  language: navigator.language,
})`;
