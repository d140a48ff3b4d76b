// Whose words a command is made of: what a caller gives is data, and what nobody gave is not there.
import { describe, expect, test } from 'vitest';
import { resolveArgv } from '../../../../src/formats/template/resolveArgv.js';

describe('an honest command', () => {
  test('never reads a value of the caller as a template', () => {
    const values = { text: '{file} {1+1} {a?b:c} {text}', file: '/etc/passwd' };
    expect(resolveArgv('tool {text}', values)).toEqual(['tool', values.text]);
    expect(resolveArgv('tool {t}', { text: '{file}', file: 'f' }, { defaults: { t: '{text}' } })).toEqual(['tool', '{file}']);
    expect(resolveArgv('tool {text}', { ...values, text: '{file}' }, { compat: true })).toEqual(['tool', '/etc/passwd']);
  });

  test('reads no property that nobody gave', () => {
    expect(resolveArgv('tool {toString??x} {constructor?y:n}', {})).toEqual(['tool', 'x', 'n']);
    expect(resolveArgv('tool {toString??x}', {}, { compat: true })[1]).toContain('native code');
    expect(() => resolveArgv('tool {__proto__}', {})).toThrow('Missing command template value: __proto__');
  });
});
