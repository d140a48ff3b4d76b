import { describe, expect, test } from 'vitest';
import { runPagesOf } from '../../src/browser/runPages.js';
import { appPages, open, outputOf } from './appPages.js';

const pages = await appPages();
const { run } = pages;
const trace = (mode: string, fields: object = {}) => ({ action: 'cdp.trace', mode, ...fields });
const metrics = (fields: object) => ({ action: 'cdp.metrics', ...fields });

describe('cdp.metrics', () => {
  test('cdp.metrics reads the named metrics, or all of them', async () => {
    const assert = { path: '$.metrics.Nodes', operator: 'gt', value: 5 };
    const ran = await run({
      open: open('/cart'),
      some: metrics({ names: ['Nodes', 'JSHeapUsedSize'], assert }),
      all: metrics({}),
    });
    expect([ran.status, ran.error]).toEqual(['pass', '']);
    expect(Object.keys(outputOf(ran, 'some').metrics as object)).toEqual(['Nodes', 'JSHeapUsedSize']);
    expect(Object.keys(outputOf(ran, 'all').metrics as object).length).toBeGreaterThan(20);
  });

  test('cdp.metrics suggests a similar name for an unknown metric', async () => {
    const ran = await run({ open: open('/cart'), some: metrics({ names: ['JSHeapUsdSize'] }) });
    expect(ran.error).toMatch(/^cdp.unknown_metric: There is no metric "JSHeapUsdSize"\. Did you mean "JSHeapUsedSize"\?/);
  });
});

describe('cdp.trace', () => {
  test('cdp.trace records from start to stop and stores a trace file', async () => {
    const ran = await run({ begin: trace('start'), open: open('/cart'), stop: trace('stop') });
    expect(ran.error).toBe('');
    const [file] = ran.pictures;
    expect(file).toMatchObject({ path: 'traces/stop.json', type: 'log' });
    const { traceEvents } = JSON.parse(Buffer.from(file?.body ?? []).toString());
    expect(outputOf(ran, 'stop')).toEqual({
      ...{ recording: false, events: traceEvents.length, bytes: file?.body.length, wasTruncated: false, path: file?.path },
    });
    expect(JSON.stringify(traceEvents)).toContain('/cart');
    expect(ran.journal.join('').length).toBeLessThan(20_000);
  });

  test('cdp.trace records the given categories', async () => {
    const ran = await run({
      begin: trace('start', { categories: ['blink.user_timing'] }),
      open: open('/cart'),
      stop: trace('stop'),
    });
    expect(outputOf(ran, 'begin')).toEqual({ recording: true, categories: ['blink.user_timing'] });
    expect(ran.error).toBe('');
  });

  test('cdp.trace refuses a second start and a stop without a start', async () => {
    expect((await run({ stop: trace('stop') })).error).toMatch(/^cdp.no_trace: .*"start"/);
    const twice = await run({ begin: trace('start'), again: trace('start') });
    expect(twice.error).toMatch(/^cdp.trace_running: .*Use mode "stop"/);
    expect((await run({ stop: trace('stop') })).error).toBe('');
  });

  test('cdp.trace can start although an earlier run did not stop its trace', async () => {
    await run({ begin: trace('start') });
    runPagesOf(pages.page).stopListening();
    const ran = await run({ begin: trace('start'), open: open('/cart'), stop: trace('stop') });
    expect(ran.error).toBe('');
    expect(outputOf(ran, 'stop').events).toBeGreaterThan(0);
  });

  test('the file of cdp.trace does not prove a visible claim', async () => {
    const nodes = {
      open: open('/cart'),
      begin: { ...trace('start'), proofTarget: 'AC1' },
      see: { action: 'ui.wait_for', text: 'Cart', proofTarget: 'AC1' },
      stop: { ...trace('stop'), proofTarget: 'AC1' },
    };
    const ran = await run(nodes, { targets: ['AC1'] });
    expect([ran.status, ran.pictures.length]).toEqual(['unknown', 1]);
  });
});
