// The captured output of a process, up to a limit.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { captureOutput, truncateOutput } from '../../../../src/system/processes/runProcess.js';
import { runCount } from '../../../property/runCount.js';

const note = /\n… (\d+) bytes left out …\n/;
const lines = Buffer.from('0123456789 äöü € 😀\n'.repeat(100));

function capture(chunks: readonly Uint8Array[], limit: number) {
  const output = captureOutput(limit);
  for (const chunk of chunks) output.write(chunk);
  return output.end();
}

/** Splits output into the bytes before and after the note. */
function parts(bytes: Buffer): { head: Buffer; tail: Buffer; leftOut: number } {
  const found = note.exec(bytes.toString('latin1').replaceAll('â\x80¦', '…'));
  const leftOut = Number(found?.[1]);
  const line = Buffer.from(`\n… ${leftOut} bytes left out …\n`);
  const at = bytes.indexOf(line);
  return { head: bytes.subarray(0, at), tail: bytes.subarray(at + line.length), leftOut };
}

describe('captured output', () => {
  test('output up to the limit is captured completely', () => {
    expect(capture([lines], lines.length)).toEqual({ bytes: lines, size: lines.length, wasTruncated: false });
    expect(capture([], 200)).toEqual({ bytes: Buffer.alloc(0), size: 0, wasTruncated: false });
  });

  test('output one byte above the limit says where and how much was left out', () => {
    const { bytes, size, wasTruncated } = capture([lines], lines.length - 1);
    expect({ size, wasTruncated }).toEqual({ size: lines.length, wasTruncated: true });
    expect(bytes.length).toBeLessThanOrEqual(lines.length - 1);
    const { head, tail, leftOut } = parts(bytes);
    expect(leftOut).toBe(size - head.length - tail.length);
    expect(leftOut).toBeGreaterThan(0);
  });

  test('output in any chunks keeps its real head and tail within the limit', () => {
    const chunks = fc.array(fc.uint8Array({ maxLength: 700 }), { maxLength: 12 });
    const holds = fc.property(chunks, fc.integer({ min: 200, max: 900 }), (chunksWritten, limit) => {
      const whole = Buffer.concat(chunksWritten);
      const { bytes, size, wasTruncated } = capture(chunksWritten, limit);
      expect([size, wasTruncated, bytes.length <= limit]).toEqual([whole.length, whole.length > limit, true]);
      if (!wasTruncated) {
        expect(bytes.equals(whole)).toBe(true);
        return;
      }
      const { head, tail, leftOut } = parts(bytes);
      expect(whole.subarray(0, head.length).equals(head)).toBe(true);
      expect(whole.subarray(whole.length - tail.length).equals(tail)).toBe(true);
      expect(leftOut).toBe(whole.length - head.length - tail.length);
      // Only the size of the note and one character at each side are lost.
      expect(head.length + tail.length).toBeGreaterThanOrEqual(limit - 64 - 8);
    });
    fc.assert(holds, runCount(500));
  });

  test('output is never cut inside a character', () => {
    const text = fc.string({ unit: 'grapheme', minLength: 300, maxLength: 400 });
    const holds = fc.property(text, fc.integer({ min: 200, max: 280 }), (stringWritten, limit) => {
      const { bytes, wasTruncated } = capture([Buffer.from(stringWritten.replaceAll('\ufffd', '?'))], limit);
      expect([wasTruncated, bytes.toString().includes('\ufffd')]).toEqual([true, false]);
    });
    fc.assert(holds, runCount(500));
  });

  test('binary output is captured unchanged', () => {
    const binary = Buffer.alloc(5_000, 0x80);
    const { bytes } = capture([binary], 1_000);
    const { head, tail } = parts(bytes);
    expect(head.length + tail.length).toBeGreaterThan(900);
    expect(bytes.toString()).toContain('bytes left out');
  });

  test('output that is cut twice counts the missing bytes of the original', () => {
    const once = capture([Buffer.alloc(100_000, 'x')], 10_000);
    const { bytes, size } = truncateOutput(once, 1_000);
    const { head, tail, leftOut } = parts(bytes);
    expect(bytes.toString().match(/left out/g)).toHaveLength(1);
    expect(leftOut).toBe(100_000 - head.length - tail.length);
    expect([size, bytes.length <= 1_000]).toEqual([100_000, true]);
  });

  test('captured output does not change when its writer reuses a chunk', () => {
    const output = captureOutput(1_000);
    const chunk = Buffer.alloc(1);
    for (let index = 0; index < 900; index++) {
      chunk[0] = index;
      output.write(chunk);
    }
    expect(output.end().bytes).toEqual(Buffer.from(Array.from({ length: 900 }, (_, index) => index)));
  });
});
