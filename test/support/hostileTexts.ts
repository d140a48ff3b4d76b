// Strings that a terminal or a CI service would interpret, or that look different from their content.
const esc = '\u001b';
const commands = [
  '::add-mask::x',
  '::error file=a,line=1::boo',
  '::set-output name=a::b',
  '::stop-commands::t',
  '##[error]boo',
  '##[group]g',
  '##vso[task.setvariable]x',
];

export const hostileTexts: readonly string[] = [
  ...commands,
  ...commands.slice(0, 5).map((command) => `first line\n${command}`),
  ...commands.slice(0, 3).map((command) => `first line\r\n \t${command}`),
  ...['[2J', '[31mred', ']0;title\u0007', '[1A[2K', 'c', ']8;;http://example.test\u0007link', '[6n'].map(
    (rest) => `${esc}${rest}`,
  ),
  ...['\u0007', '\u0008\u0008', '\u0000', '\u007f', '\r\rover', '\u009b31m', '\u0085next', '\u2028line', '\u2029paragraph'],
  ...[
    '\u202eright to left',
    '\u2066isolate',
    '\u200bzero width',
    '\ufeffmark',
    '\u061cletter',
    '\u{e0041}tag',
    '\u200e',
    '\ufff9note',
    '\u00ad',
  ],
];

/** Whether a string has a control or format character, or a line that begins like a CI command. */
export function isHostile(text: string): boolean {
  return /[^\P{C}\n\t]|[\u2028\u2029]/u.test(text) || /^\s*::/m.test(text) || /##(\[|vso\[)/i.test(text);
}
