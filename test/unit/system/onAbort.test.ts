import { getEventListeners } from 'node:events';
import { describe, expect, test } from 'vitest';
import { createAbortNotifier, onAbort } from '../../../src/system/onAbort.js';

describe('onAbort', () => {
  test('an abort calls each function once, in the order of registration, through one event listener', () => {
    const { signal, abort } = createSignal();
    const calls: string[] = [];
    onAbort(signal, () => calls.push('first'));
    onAbort(signal, () => calls.push('second'));
    expect(getEventListeners(signal, 'abort')).toHaveLength(1);
    abort();
    abort();
    expect(calls).toEqual(['first', 'second']);
  });

  test('an abort does not call a function that was canceled, even by an earlier function', () => {
    const { signal, abort } = createSignal();
    const calls: string[] = [];
    onAbort(signal, () => calls.push('never'))();
    onAbort(signal, () => {
      calls.push('first');
      cancel();
    });
    const cancel = onAbort(signal, () => calls.push('late'));
    abort();
    expect(calls).toEqual(['first']);
  });

  test('an abort that the owner of the signal announces needs no event listener', () => {
    const { signal } = createSignal();
    const calls: string[] = [];
    const notify = createAbortNotifier(signal);
    onAbort(signal, () => calls.push('first'));
    onAbort(signal, () => calls.push('never'))();
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
    notify();
    expect(calls).toEqual(['first']);
  });
});

function createSignal(): { signal: AbortSignal; abort(): void } {
  const controller = new AbortController();
  return { signal: controller.signal, abort: () => controller.abort() };
}
