// Values of the caller are data, and inherited properties are not values.
import { describe, expect, test } from 'vitest';
import { resolveArgv } from '../../../../src/formats/template/resolveArgv.js';

describe('the words of a command', () => {
  test('placeholders in a value of the caller are not replaced', () => {
    const values = { text: '{file} {1+1} {a?b:c} {text}', file: '/etc/passwd' };
    expect(resolveArgv('tool {text}', values)).toEqual(['tool', values.text]);
    expect(resolveArgv('tool {t}', { text: '{file}', file: 'f' }, { defaults: { t: '{text}' } })).toEqual(['tool', '{file}']);
    expect(resolveArgv('tool {text}', { ...values, text: '{file}' }, { compat: true })).toEqual(['tool', '/etc/passwd']);
  });

  test('a placeholder does not read inherited properties such as toString', () => {
    expect(resolveArgv('tool {toString??x} {constructor?y:n}', {})).toEqual(['tool', 'x', 'n']);
    expect(resolveArgv('tool {toString??x}', {}, { compat: true })[1]).toContain('native code');
    expect(() => resolveArgv('tool {__proto__}', {})).toThrow('Missing command template value: __proto__');
  });
});
