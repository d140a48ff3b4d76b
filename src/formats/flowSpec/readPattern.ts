// Regular expressions of flow-specs. The format comes from Python; ours are those of RE2, which cannot run away.
import { RE2JS } from 're2js';

type PatternResult = { pattern: string } | { problem: string };

/** In the spelling that we match with; it is searched for, not matched whole. */
export function readPattern(value: string): PatternResult {
  const pattern = translatePattern(value);
  try {
    RE2JS.compile(pattern);
    return { pattern };
  } catch (thrown) {
    const why = thrown instanceof Error ? thrown.message : String(thrown);
    const hint = /\(\?[=!<]|\\[1-9]/.test(value)
      ? ' Look-around and back references are not supported: they can take for ever.'
      : '';
    return { problem: `invalid regex ${JSON.stringify(value)}: ${why}.${hint}` };
  }
}

// Python's \Z is the very end, which RE2 writes \z; (?P<name>…) and \A are the same in both.
function translatePattern(value: string): string {
  return value.replace(/\\(.)/gs, (written, next: string) => (next === 'Z' ? '\\z' : written));
}
