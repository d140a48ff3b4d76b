// Warns about commands that run code or remove files, with the messages of the reference implementation.
import { basename } from 'node:path';
import { isObject, toRootNode } from './model.js';
import { splitCommand } from './resolveArgv.js';

const shells = new Set(['bash', 'sh', 'zsh', 'fish']);
const runtimes = new Set(['node', 'deno', 'bun']);
const interpreterPattern = /^(python[\d.]*|perl|ruby)$/;
const scriptMitigation = 'Mitigation: keep scripts local, reviewed, and parameterized with explicit placeholders.';
const evalMitigation = 'Mitigation: prefer a checked-in script file or keep eval input fixed and reviewed.';

export function riskWarnings(template: unknown): string[] {
  const node = toRootNode(template);
  if (Array.isArray(node.template)) return node.template.flatMap(riskWarnings);
  if (isObject(node.template)) return riskWarnings(node.template);
  if (typeof node.template !== 'string') return [];
  const [program = '', ...args] = splitCommand(node.template);
  const tool = basename(program);
  const risk = describeRisk(tool, args);
  const label = typeof node.label === 'string' && node.label !== '' ? node.label : tool;
  return risk === undefined ? [] : [`${label}: ${risk}`];
}

function describeRisk(tool: string, args: readonly string[]): string | undefined {
  if (shells.has(tool)) {
    const what = hasFlag(args, 'c') ? 'shell command strings' : 'shell scripts';
    return `invokes ${tool}; ${what} are trusted executable content and are not sandboxed by command-template argv splitting. ${scriptMitigation}`;
  }
  const isEval =
    runtimes.has(tool) && (hasFlag(args, 'e') || hasFlag(args, 'p') || args.some((arg) => /^(--eval|--print|eval)/.test(arg)));
  if (isEval)
    return `invokes ${tool} eval mode; code strings are trusted executable content and are not sandboxed. ${evalMitigation}`;
  if (interpreterPattern.test(tool) && (hasFlag(args, 'c') || hasFlag(args, 'e'))) {
    return `invokes ${tool} code-eval mode; code strings are trusted executable content and are not sandboxed. ${evalMitigation}`;
  }
  return describeFileRisk(tool, args);
}

function describeFileRisk(tool: string, args: readonly string[]): string | undefined {
  if (tool === 'rm' && (hasFlag(args, 'r') || hasFlag(args, 'R') || hasFlag(args, 'f') || args.includes('--recursive'))) {
    return 'removes filesystem paths; verify placeholders and paths before running trusted destructive commands. Mitigation: constrain path placeholders and consider dry-run or explicit confirmation.';
  }
  const isBroad = ['mv', 'cp', 'rsync'].includes(tool) && args.some((arg) => /^([/~]|\.{1,2}$|\*)/.test(arg));
  return isBroad
    ? 'mutates broad filesystem paths; verify placeholders and paths before running trusted commands. Mitigation: constrain path placeholders and prefer narrow source/destination paths.'
    : undefined;
}

/** Also finds a flag that shares a word with others, as in `-lc`. */
function hasFlag(args: readonly string[], flag: string): boolean {
  return args.some((arg) => new RegExp(`^-[A-Za-z]*${flag}[A-Za-z]*$`).test(arg));
}
