// Pages show a secret where texts are truncated. No part of the secret leaves the run or gets into a prompt.
import { describe, expect, test } from 'vitest';
import type { ResolverRequest } from '../../src/formats/flowSpec/settings.js';
import { flowLab } from '../support/flowLab.js';
import type { Json } from '../unit/formats/flowSpec/spec.js';
import type { FlowOptions } from './flowSpecRun.js';

const secret = 'Zebra-Quartz-7781-Otter-Basalt';
const half = secret.slice(0, 12);
/** Places the secret so that a truncation to `limit` characters cuts it. */
const textWithSecretAt = (limit: number): string => 'x'.repeat(limit - 15) + secret;

const pages: Record<string, string> = {
  '/': `<input id="field">`,
  '/text': `<body>${textWithSecretAt(298)} ${'y'.repeat(2_000 - 325)}${textWithSecretAt(30)}</body>`,
  '/extract': `<p id="long">${textWithSecretAt(2_048)}</p>`,
  '/beacon': `<script>navigator.sendBeacon('https://plausible.io/api/event', '{"d":"site.test","more":"${textWithSecretAt(2_010)}","n":"seen"}')</script>`,
  '/login': `<form action="/"><input id="field"><p role="alert">Wrong password. ${textWithSecretAt(265)}</p></form>`,
  '/name': `<button>Go on as ${secret}</button><button>Go on as ${secret}</button><button>${'go '.repeat(36)}${secret}</button><script>history.replaceState(0, '', '/name?who=${secret}')</script>`,
};
const lab = await flowLab(async ({ pathname }) => ({ html: pages[pathname] ?? '' }), {
  env: { SECRET: secret },
});
const { site } = lab;

const type = { type: 'act', action: 'fill', selector: '#field', value: '{{SECRET}}' };
const goto = (path: string): Json => ({ type: 'goto', url: `${site.origin}${path}` });

const run = (steps: readonly Json[], options: Partial<FlowOptions> = {}) => lab.run([type, ...steps], {}, options);

describe('a secret that the page shows', () => {
  test.for([
    [
      'the text of an expect',
      [goto('/text'), { type: 'expect', kind: 'text_contains', value: 'goodbye' }],
      'assertion_failed',
      { expectMs: 300 },
    ],
    ['a run variable', [goto('/extract'), { type: 'extract', selector: '#long', into: 'x' }], 'contains a secret', {}],
    [
      'the error of a login',
      [{ type: 'act', action: 'press', selector: '#field', value: 'Tab' }, goto('/login'), { type: 'wait', for: '#no' }],
      'Wrong password. xxx',
      { cutShort: { node: 'step-4', ms: 800 } },
    ],
    [
      'the candidates of a target',
      [goto('/name'), { type: 'act', action: 'click', target: 'the go on button' }],
      'Go on as [secret:SECRET]',
      {},
    ],
  ] as const)('no part of a secret gets into %s', async ([, steps, expected, options]) => {
    const { everything } = await run(steps as unknown as Json[], options);
    expect(everything).toContain(expected);
    expect(everything).not.toContain(half);
  });

  test('no part of a secret gets into the truncated body of a beacon', async () => {
    const { error, beacons, everything } = await run([
      goto('/beacon'),
      { type: 'expect', kind: 'beacon', vendor: 'plausible', event: 'seen' },
    ]);
    expect([error, beacons.length]).toEqual(['', 1]);
    expect(beacons[0]?.post_body_excerpt).toHaveLength(2_048);
    expect(everything).not.toContain(half);
  });

  test('a target resolver receives no part of a secret', async () => {
    const prompts: string[] = [];
    const resolver = async ({ page: _, signal: __, ...request }: ResolverRequest) => {
      prompts.push(JSON.stringify(request));
      return undefined;
    };
    await run([goto('/name'), { type: 'act', action: 'click', target: 'the go on button' }], { resolver });
    expect(prompts.join()).toContain('Go on as [secret:SECRET]');
    expect(prompts.join()).toContain('/name?who=[secret:SECRET]');
    expect(prompts.join()).not.toContain(half);
  });
});
