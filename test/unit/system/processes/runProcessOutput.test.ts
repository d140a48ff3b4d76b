// What is kept of what a process wrote.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { captureOutput, truncateOutput } from '../../../../src/system/processes/runProcess.js';
import { runCount } from '../../../property/runCount.js';

const note = /\n… (\d+) bytes left out …\n/;
const lines = Buffer.from('0123456789 äöü € 😀\n'.repeat(100));

function spool(chunks: readonly Uint8Array[], limit: number) {
  const collecting = captureOutput(limit);
  for (const chunk of chunks) collecting.write(chunk);
  return collecting.end();
}

/** Head and tail around the note, as bytes. */
function parts(bytes: Buffer): { head: Buffer; tail: Buffer; leftOut: number } {
  const found = note.exec(bytes.toString('latin1').replaceAll('â\x80¦', '…'));
  const leftOut = Number(found?.[1]);
  const line = Buffer.from(`\n… ${leftOut} bytes left out …\n`);
  const at = bytes.indexOf(line);
  return { head: bytes.subarray(0, at), tail: bytes.subarray(at + line.length), leftOut };
}

describe('a stream', () => {
  test('is kept whole up to its limit', () => {
    expect(spool([lines], lines.length)).toEqual({ bytes: lines, size: lines.length, wasTruncated: false });
    expect(spool([], 200)).toEqual({ bytes: Buffer.alloc(0), size: 0, wasTruncated: false });
  });

  test('one byte beyond its limit says where and how much was left out', () => {
    const { bytes, size, wasTruncated } = spool([lines], lines.length - 1);
    expect({ size, wasTruncated }).toEqual({ size: lines.length, wasTruncated: true });
    expect(bytes.length).toBeLessThanOrEqual(lines.length - 1);
    const { head, tail, leftOut } = parts(bytes);
    expect(leftOut).toBe(size - head.length - tail.length);
    expect(leftOut).toBeGreaterThan(0);
  });

  test('of any chunks keeps its true head and tail within the limit', () => {
    const chunks = fc.array(fc.uint8Array({ maxLength: 700 }), { maxLength: 12 });
    const holds = fc.property(chunks, fc.integer({ min: 200, max: 900 }), (written, limit) => {
      const whole = Buffer.concat(written);
      const { bytes, size, wasTruncated } = spool(written, limit);
      expect([size, wasTruncated, bytes.length <= limit]).toEqual([whole.length, whole.length > limit, true]);
      if (!wasTruncated) {
        expect(bytes.equals(whole)).toBe(true);
        return;
      }
      const { head, tail, leftOut } = parts(bytes);
      expect(whole.subarray(0, head.length).equals(head)).toBe(true);
      expect(whole.subarray(whole.length - tail.length).equals(tail)).toBe(true);
      expect(leftOut).toBe(whole.length - head.length - tail.length);
      // Nothing is dropped beyond the room of the note and a character at each side.
      expect(head.length + tail.length).toBeGreaterThanOrEqual(limit - 64 - 8);
    });
    fc.assert(holds, runCount(500));
  });

  test('is never cut inside of a character', () => {
    const text = fc.string({ unit: 'grapheme', minLength: 300, maxLength: 400 });
    const holds = fc.property(text, fc.integer({ min: 200, max: 280 }), (written, limit) => {
      const { bytes, wasTruncated } = spool([Buffer.from(written.replaceAll('\ufffd', '?'))], limit);
      expect([wasTruncated, bytes.toString().includes('\ufffd')]).toEqual([true, false]);
    });
    fc.assert(holds, runCount(500));
  });

  test('that is no text at all is kept as it is', () => {
    const binary = Buffer.alloc(5_000, 0x80);
    const { bytes } = spool([binary], 1_000);
    const { head, tail } = parts(bytes);
    expect(head.length + tail.length).toBeGreaterThan(900);
    expect(bytes.toString()).toContain('bytes left out');
  });

  test('cut twice counts what is missing of the original', () => {
    const once = spool([Buffer.alloc(100_000, 'x')], 10_000);
    const { bytes, size } = truncateOutput(once, 1_000);
    const { head, tail, leftOut } = parts(bytes);
    expect(bytes.toString().match(/left out/g)).toHaveLength(1);
    expect(leftOut).toBe(100_000 - head.length - tail.length);
    expect([size, bytes.length <= 1_000]).toEqual([100_000, true]);
  });

  test('does not depend on what its writer does with a chunk afterwards', () => {
    const collecting = captureOutput(1_000);
    const chunk = Buffer.alloc(1);
    for (let index = 0; index < 900; index++) {
      chunk[0] = index;
      collecting.write(chunk);
    }
    expect(collecting.end().bytes).toEqual(Buffer.from(Array.from({ length: 900 }, (_, index) => index)));
  });
});
