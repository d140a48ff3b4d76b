// Recipes in Markdown: no part of the file is lost, and a part that a recipe cannot represent is refused at its position.
import { describe, expect, test } from 'vitest';
import { readMarkdown } from '../../../../src/formats/template/readMarkdown.js';

describe('a recipe in Markdown', () => {
  const read = (text: string) => readMarkdown('a.md', Buffer.from(text));

  test('the complete front matter of a recipe is read, including blank lines, lists of maps and blocks', () => {
    const text = `---
description: >
  has: colon
args: m:enum(a,b), n:int=4
mailbox:
  accepts:
    - control.kill

    - type: task.assign
      summary: x
defaults:
    a: 1

    b: [1, "z"]
---
Notes for readers.

\`\`\`template
x {m}
\`\`\`
`;
    const { document, findings } = read(text);
    expect(findings).toEqual([]);
    expect(document?.value).toEqual({
      description: 'has: colon\n',
      args: ['m:enum(a,b)', 'n:int=4'],
      mailbox: { accepts: ['control.kill', { type: 'task.assign', summary: 'x' }] },
      defaults: { a: 1, b: [1, 'z'] },
      template: 'x {m}',
    });
    expect(document?.place('/defaults/b')).toEqual({ file: 'a.md', line: 14, column: 5 });
    expect(document?.place('/template')).toEqual({ file: 'a.md', line: 19, column: 1 });
  });

  test('the positions in a JSON fence are those of the Markdown file', () => {
    const { document } = read('---\ntimeout: 5\n---\n\n```json\n{\n  "template": ["a", { "name": "b" }]\n}\n```\n');
    expect(document?.place('/template/1/name')).toEqual({ file: 'a.md', line: 7, column: 23 });
    expect(document?.place('/timeout')).toEqual({ file: 'a.md', line: 2, column: 1 });
  });

  test.for([
    ['```template\nx\n```\n', 'template.invalid_markdown', 1],
    ['---\na: 1\n', 'template.invalid_markdown', 1],
    ['---\na: 1\n---\n', 'template.no_fence', 1],
    ['---\na: 1\na: 2\n---\n```template\nx\n```\n', 'template.invalid_front_matter', 3],
    ['---\ndefaults:\n\ta: 1\n---\n```template\nx\n```\n', 'template.invalid_front_matter', 3],
    ['---\na: &x 1\nb: *x\n---\n```template\nx\n```\n', 'template.invalid_front_matter', 3],
    ['---\na: !secret x\n---\n```template\nx\n```\n', 'template.invalid_front_matter', 2],
    ['---\na: 12345678901234567890\n---\n```template\nx\n```\n', 'template.invalid_front_matter', 2],
    ['---\ndefaults:\n  __proto__: 1\n---\n```template\nx\n```\n', 'template.invalid_front_matter', 3],
    ['---\n- a\n---\n```template\nx\n```\n', 'template.invalid_front_matter', 2],
    ['---\n---\n```json\n{ "example": 1 }\n```\n```template\nx\n```\n', 'template.two_fences', 6],
    ['---\n---\n```json\n{ "template": "x", }\n```\n', 'document.invalid_json', 4],
  ] as const)('the Markdown recipe %j is refused with %s at line %i', ([text, code, line]) => {
    const { document, findings } = read(text);
    expect(document).toBeUndefined();
    expect(findings.map((finding) => [finding.code, finding.place.line])).toEqual([[code, line]]);
  });

  test('the executable fence is used, and fences with examples are ignored', () => {
    const text = '---\n---\n```bash\nls\n```\n```contemplated\nno\n```\n```template\n{cmd} arg\n```\n';
    expect(read(text).document?.value).toEqual({ template: '{cmd} arg' });
  });

  test('front matter with nested YAML aliases is refused without expanding them', () => {
    const levels = [...'bcdefghij'].map(
      (name, index) => `${name}: &${name} [${Array(9).fill(`*${'abcdefghij'[index]}`).join(', ')}]`,
    );
    const { document, findings } = read(`---\na: &a [x]\n${levels.join('\n')}\n---\n\`\`\`template\nx\n\`\`\`\n`);
    expect(document).toBeUndefined();
    expect(findings[0]?.code).toBe('template.invalid_front_matter');
  });
});
