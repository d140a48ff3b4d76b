import { expect, test } from 'vitest';
import { lineDiff } from '../../../../src/cli/init/lineDiff.js';

test('a changed line is shown with two unchanged lines on each side', () => {
  const before = 'a\nb\nc\nd\ne\nf\ng\n';
  expect(lineDiff(before, before.replace('d', 'D'))).toEqual(['  b', '  c', '- d', '+ D', '  e', '  f', '  …']);
});

test('lines that are left out between two changes are marked once', () => {
  const before = 'a\nb\nc\nd\ne\nf\ng\nh\n';
  expect(lineDiff(before, `first\n${before}last\n`)).toEqual(['+ first', '  a', '  b', '  …', '  g', '  h', '+ last']);
});

test('every line of a new file is added', () => {
  expect(lineDiff('', 'a\nb\n')).toEqual(['+ a', '+ b']);
});

test('a line that is added after a last line without a line break is the only change', () => {
  expect(lineDiff('dist', 'dist\nrecipe-results/\n')).toEqual(['  dist', '+ recipe-results/']);
});
