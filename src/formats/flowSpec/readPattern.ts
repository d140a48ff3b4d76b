// Reads regular expressions of flow-specs. They have Python's syntax and run in RE2, which always takes linear time.
import { RE2JS } from 're2js';

type PatternResult = { pattern: string } | { problem: string };

/** Translates a pattern for RE2. The pattern may match any part of a string. */
export function readPattern(value: string): PatternResult {
  const pattern = translatePattern(value);
  try {
    RE2JS.compile(pattern);
    return { pattern };
  } catch (thrown) {
    const reason = thrown instanceof Error ? thrown.message : String(thrown);
    const hint = /\(\?[=!<]|\\[1-9]/.test(value)
      ? ' Look-around and back references are not supported, because they can take exponential time.'
      : '';
    return { problem: `invalid regex ${JSON.stringify(value)}: ${reason}.${hint}` };
  }
}

// Python's \Z, the end of the string, is \z in RE2. (?P<name>…) and \A are the same in both.
function translatePattern(value: string): string {
  return value.replace(/\\(.)/gs, (sequence, char: string) => (char === 'Z' ? '\\z' : sequence));
}
