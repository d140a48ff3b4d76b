// A selector that is neither CSS nor text=… is reported before a flow runs.
import { describe, expect, test } from 'vitest';
import { fillSelector } from '../../../../src/formats/flowSpec/run/flowText.js';
import { checkSpec, spec } from './spec.js';

const codesFor = (selector: string): string[] => checkSpec(spec([{ type: 'act', action: 'click', selector }])).codes;

describe('a selector of a flow-spec', () => {
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
  ])('the selector %s is refused, because it is neither CSS nor text=…', (selector) => {
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
  ])('the selector %s in CSS or text=… is accepted', (selector) => {
    expect(codesFor(selector)).toEqual([]);
  });

  test.for(['*xpath=//button', ' * xpath=//a', 'text=Foo >> *xpath=..'])('the selector %s is refused as XPath', (selector) => {
    expect(codesFor(selector)).toEqual(['flow_spec.xpath_selector']);
  });

  test.for([
    ['text=', 'Foo >> role=button'],
    ['a', ' >> role=button'],
    ['', '*text=Foo'],
    ['', 'role=button'],
  ])('the selector %s%s is refused at run time when the value of its variable makes it invalid', ([before = '', value = '']) => {
    const fill = () => fillSelector([before, { variable: 'part' }], new Map([['part', value]]));
    expect(fill).toThrow('is neither CSS nor text=…');
  });

  test('a selector gets the values of its variables at run time', () => {
    expect(fillSelector(['#o-', { variable: 'part' }], new Map([['part', '42']]))).toBe('css=#o-42');
    expect(fillSelector(['text=', { variable: 'part' }], new Map([['part', "Don't"]]))).toBe("text=Don't");
  });

  test('a selector with a run variable is accepted', () => {
    const steps = [
      { type: 'extract', selector: '#o', into: 'order' },
      { type: 'wait', for: '#{{order}} .{{ order }}' },
      { type: 'act', action: 'click', selector: '{{order}}' },
    ];
    expect(checkSpec(spec(steps)).codes).toEqual([]);
  });
});
