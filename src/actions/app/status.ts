import * as z from 'zod';
import { defineAction } from '../action.js';
import { readPage } from '../ui/readPage.js';
import { pageOf } from '../ui/withPageErrors.js';

export const status = defineAction({
  name: 'app.status',
  description: 'Reads where the app stands: its URL and title, whether it has loaded, is visible, has the focus and a network.',
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
  // It judges nothing: only an assertion on what it gives can fail.
  fallible: () => false,
  needs: ['page'],
  async run(_, context) {
    const page = pageOf(context);
    const pages = page.context().pages().length;
    if (page.isClosed()) return { output: { running: false, pages } };
    const seen = await readPage<object>(context, statusScript);
    return { output: { running: true, ...seen, pages } };
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
