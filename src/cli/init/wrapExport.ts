// Wraps the exported expression of a config file in a call, and leaves the rest of the file unchanged.
import { parse } from '@babel/parser';

type Program = ReturnType<typeof parse>['program'];
type Statement = Program['body'][number];
type Range = { start: number; end: number };

/** Returns undefined for a file that cannot be changed safely. `wrap`: called with the exported expression. */
export function wrapExport(
  text: string,
  imported: { name: string; from: string },
  wrap: (expression: string) => string,
): string | undefined {
  const program = parseConfig(text);
  const last = program?.body.at(-1);
  const exported = last && findExported(last);
  if (!program || !exported) return undefined;
  const { start, end } = exported;
  const head = insertImport(text.slice(0, start), program, imported);
  return `${head}${wrap(text.slice(start, end))}${text.slice(end)}`;
}

function parseConfig(text: string): Program | undefined {
  try {
    return parse(text, { sourceType: 'unambiguous', plugins: ['typescript'], createParenthesizedExpressions: true }).program;
  } catch {
    // SyntaxError: the config is broken, or has syntax that the parser does not know.
    return undefined;
  }
}

function findExported(statement: Statement): Range | undefined {
  if (statement.type === 'ExportDefaultDeclaration') return toRange(statement.declaration);
  const assignment = statement.type === 'ExpressionStatement' ? statement.expression : undefined;
  if (assignment?.type !== 'AssignmentExpression' || assignment.operator !== '=') return undefined;
  const { left, right } = assignment;
  const isExport =
    left.type === 'MemberExpression' &&
    left.object.type === 'Identifier' &&
    left.object.name === 'module' &&
    left.property.type === 'Identifier' &&
    left.property.name === 'exports';
  return isExport ? toRange(right) : undefined;
}

function toRange({ start, end }: { start?: number | null; end?: number | null }): Range {
  if (typeof start !== 'number' || typeof end !== 'number') throw new Error('The parser returned a node without a position.');
  return { start, end };
}

/** `head`: the source before the exported expression. */
function insertImport(head: string, program: Program, { name, from }: { name: string; from: string }): string {
  const isModule = program.body.at(-1)?.type === 'ExportDefaultDeclaration';
  const newLine = head.includes('\r\n') ? '\r\n' : '\n';
  const hasDoubleQuotes = /(from |require\()"/.test(head) && !/(from |require\()'/.test(head);
  const source = hasDoubleQuotes ? `"${from}"` : `'${from}'`;
  const line = isModule ? `import { ${name} } from ${source};` : `const { ${name} } = require(${source});`;
  const lastImport = program.body.findLast((statement) => isImport(statement, head));
  const at = lastImport ? findNextLine(head, toRange(lastImport).end) : findTopOffset(head, program);
  const before = at === 0 || head[at - 1] === '\n' ? head.slice(0, at) : `${head.slice(0, at)}${newLine}`;
  return `${before}${line}${newLine}${lastImport ? '' : newLine}${head.slice(at)}`;
}

function isImport(statement: Statement, text: string): boolean {
  if (statement.type === 'ImportDeclaration') return true;
  if (statement.type !== 'VariableDeclaration') return false;
  const { start, end } = toRange(statement);
  return /^[^;\n]*\brequire\([^)]*\)/.test(text.slice(start, end));
}

/** Returns the offset below the comments of the whole file. A JSDoc comment belongs to the statement that follows. */
function findTopOffset(head: string, { body, directives, interpreter }: Program): number {
  const comments = body[0]?.leadingComments ?? [];
  const fileComments = comments.at(-1)?.value.startsWith('*') ? comments.slice(0, -1) : comments;
  const last = fileComments.at(-1) ?? directives.at(-1) ?? interpreter;
  return last ? findNextLine(head, toRange(last).end) : 0;
}

/** Returns the offset of the next line, or `offset` itself when the line contains more code. */
function findNextLine(text: string, offset: number): number {
  const rest = /^[^\S\n]*;?[^\S\n]*(\/\/[^\n]*)?\n/.exec(text.slice(offset))?.[0];
  return offset + (rest?.length ?? 0);
}
