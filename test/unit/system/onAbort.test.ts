import { getEventListeners } from 'node:events';
import { describe, expect, test } from 'vitest';
import { createAbortNotifier, onAbort } from '../../../src/system/onAbort.js';

describe('an abort', () => {
  test('is heard once by each who asked, in their order, by way of one listener', () => {
    const { signal, abort } = aborting();
    const told: string[] = [];
    onAbort(signal, () => told.push('first'));
    onAbort(signal, () => told.push('second'));
    expect(getEventListeners(signal, 'abort')).toHaveLength(1);
    abort();
    abort();
    expect(told).toEqual(['first', 'second']);
  });

  test('is not heard by those who withdrew, be it only while it is told', () => {
    const { signal, abort } = aborting();
    const told: string[] = [];
    onAbort(signal, () => told.push('never'))();
    onAbort(signal, () => {
      told.push('first');
      withdraw();
    });
    const withdraw = onAbort(signal, () => told.push('late'));
    abort();
    expect(told).toEqual(['first']);
  });

  test('that its owner tells of needs no listener', () => {
    const { signal } = aborting();
    const told: string[] = [];
    const tell = createAbortNotifier(signal);
    onAbort(signal, () => told.push('first'));
    onAbort(signal, () => told.push('never'))();
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
    tell();
    expect(told).toEqual(['first']);
  });
});

function aborting(): { signal: AbortSignal; abort(): void } {
  const controller = new AbortController();
  return { signal: controller.signal, abort: () => controller.abort() };
}
