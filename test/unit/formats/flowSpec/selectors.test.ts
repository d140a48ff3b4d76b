// Selectors are CSS or text=…: what can be neither is told before anything runs.
import { describe, expect, test } from 'vitest';
import { fillSelector } from '../../../../src/formats/flowSpec/run/flowText.js';
import { checkSpec, spec } from './spec.js';

const codesFor = (selector: string): string[] => checkSpec(spec([{ type: 'act', action: 'click', selector }])).codes;

describe('a selector', () => {
  test.for([
    ...['role=button', 'id=x', 'data-testid=x', 'css=a', ' ', 'text=', 'a >> b', 'a[href', 'a:not(b', 'a)', '> a', 'a,', 'a,,b'],
    ...['[x="y]', '1a', '#', '.', 'a .', '#1', '=x', '#[a]', '[a],', '> [a]'],
    ...[
      'text=a >> b',
      'text=Foo >> ..',
      'text=Foo >> role=button',
      'text="a" >> b',
      "text=Don't >> b",
      '*text=a',
      '*css=a',
      '[a >> b]',
    ],
  ])('that is neither CSS nor text=… is refused: %s', (selector) => {
    expect(codesFor(selector)).toEqual(['flow_spec.invalid_selector']);
  });

  test.for([
    ...['text=Sign up', 'text=a > b', 'a', '#a.b', 'input[name=email]', 'a[href*="x=1"]', "a[title='>> ]']", 'ul > li + li ~ a'],
    ...[
      'a, b',
      ':has-text("role=x")',
      'li:nth-child(2n + 1)',
      'a:not(.b):visible',
      '#\\31 a',
      '.größe',
      '*',
      '.-x',
      '#_y',
      '::before',
    ],
    ...[
      '[a],[b]',
      '[a] > [b]',
      '[a],[b]:only-of-type',
      'a[b] + [c][d]',
      '[a].b',
      '[data-x]',
      'my-element',
      'svg|a',
      '.w-1\\/2',
      '[a="(" i]',
      'a:is(b, c) > d',
    ],
  ])('in CSS or text=… is taken: %s', (selector) => {
    expect(codesFor(selector)).toEqual([]);
  });

  test.for(['*xpath=//button', ' * xpath=//a', 'text=Foo >> *xpath=..'])('that is XPath is refused as such: %s', (selector) => {
    expect(codesFor(selector)).toEqual(['flow_spec.xpath_selector']);
  });

  test.for([
    ['text=', 'Foo >> role=button'],
    ['a', ' >> role=button'],
    ['', '*text=Foo'],
    ['', 'role=button'],
  ])('is refused at run time when what a variable holds makes it another: %s%s', ([before = '', held = '']) => {
    const read = () => fillSelector([before, { variable: 'held' }], new Map([['held', held]]));
    expect(read).toThrow('is neither CSS nor text=…');
  });

  test('is read at run time with what its variables hold', () => {
    expect(fillSelector(['#o-', { variable: 'held' }], new Map([['held', '42']]))).toBe('css=#o-42');
    expect(fillSelector(['text=', { variable: 'held' }], new Map([['held', "Don't"]]))).toBe("text=Don't");
  });

  test('is taken when a run variable is part of it', () => {
    const steps = [
      { type: 'extract', selector: '#o', into: 'order' },
      { type: 'wait', for: '#{{order}} .{{ order }}' },
      { type: 'act', action: 'click', selector: '{{order}}' },
    ];
    expect(checkSpec(spec(steps)).codes).toEqual([]);
  });
});
