// recipewright review: the arguments that it refuses. Its pages are tested with the server.
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { review } from '../../../src/cli/review.js';
import { directory } from '../evidence/packages.js';

test.for<[what: string, names: (dir: string) => string[], message: RegExp]>([
  ['no directory', () => [], /review needs one directory, but it got 0/],
  ['two directories', (dir) => [dir, dir], /but it got 2/],
  [
    'a directory that is not there',
    (dir) => [join(dir, 'none')],
    /There is no directory .*none\. Pass the directory of a package/,
  ],
])('review refuses %s', async ([, names, message]) => {
  await expect(review(names(directory()), {})).rejects.toThrow(message);
});
