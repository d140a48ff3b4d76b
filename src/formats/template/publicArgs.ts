// The arguments a recipe asks its caller for: those it declares, and those its template reads without having them.
import { type ArgType, parseDeclarations, parseType } from './declarations.js';
import { mergeDefaults } from './inheritDefaults.js';
import { isObject, type TemplateNode, toRoot } from './templateNode.js';
import { fixValues, type Layer } from './templateValues.js';

export type PublicArg = { name: string; type: ArgType; isRequired: boolean; default?: unknown };

const name = '[A-Za-z_][A-Za-z0-9_-]*';
const bareFlag = new RegExp(`^!?(${name})$`);
const loopNames = /^_*(index|prev|next|repeat)$/;
const conditional = new RegExp(`^(!?)(${name})\\?([^?].*)?$`, 's');
const nullish = new RegExp(`^(${name})\\?\\?`);
const plain = new RegExp(`^(${name})(?::(string|path|int|number|bool|array|enum\\([^)]*\\)))?(?:=(.*))?$`, 's');

/** `typed`: types written in `args` count too, which the reference forgets. */
export function publicArgs(template: unknown, { typed = true }: { typed?: boolean } = {}): PublicArg[] {
  const declared = parseDeclarations(toRoot(template).args);
  const collector = new Collector(typed ? new Set(declared.map(({ name }) => name)) : new Set());
  for (const { name, type, default: value } of declared) {
    const given = value === undefined ? {} : { default: value };
    collector.found.set(name, { name, type: typed ? type : { kind: 'string' }, isRequired: value === undefined, ...given });
  }
  collector.visit(template, { defaults: {}, fixed: {} });
  return [...collector.found.values()];
}

/** What is set where a text stands; `fixed` is what no caller can change. */
type Known = { defaults: Layer; fixed: Layer };

class Collector {
  readonly found = new Map<string, PublicArg>();

  /** `declared`: their types are settled. */
  constructor(private readonly declared: ReadonlySet<string>) {}

  visit(value: unknown, around: Known): void {
    if (typeof value === 'string') this.read(value, around);
    if (Array.isArray(value)) for (const step of value) this.visit(step, around);
    if (isObject(value)) this.visitNode(value, around);
  }

  private visitNode(node: TemplateNode, around: Known): void {
    const own = isObject(node.defaults) ? node.defaults : undefined;
    const inside = { defaults: mergeDefaults(own, around.defaults), fixed: fixValues(node.values, around.fixed) ?? {} };
    const texts = Object.entries({ ...own, ...inside.fixed }).filter(([key, text]) => text !== `{${key}}`);
    for (const [, text] of texts) this.read(text, inside);
    this.visit(node.template, inside);
    this.visit(node.recover, inside);
    for (const control of [node.timeout, node.delay, node.retry]) this.read(control, inside);
    if (typeof node.when === 'string') this.readWhen(node.when.trim(), inside);
  }

  private readWhen(when: string, around: Known): void {
    const flag = bareFlag.exec(when)?.[1];
    if (flag === undefined) this.read(when, around);
    else if (flag !== 'true' && flag !== 'false') this.add(flagNamed(flag), around);
  }

  private read(text: unknown, around: Known): void {
    if (typeof text !== 'string' || !text.includes('{')) return;
    for (const [, inner = ''] of text.matchAll(/\{([^{}]+)\}/g)) {
      const arg = argOf(inner);
      if (arg && !loopNames.test(arg.name)) this.add(arg, around);
    }
  }

  private add(arg: PublicArg, { defaults, fixed }: Known): void {
    if (Object.hasOwn(fixed, arg.name)) return;
    const known = this.found.get(arg.name);
    const set = Object.hasOwn(defaults, arg.name) ? { isRequired: false, default: defaults[arg.name] } : {};
    const isSettled = this.declared.has(arg.name) || arg.type.kind === 'string';
    if (!known) this.found.set(arg.name, { ...arg, ...set });
    else this.found.set(arg.name, { ...known, ...set, type: isSettled || known.type.kind !== 'string' ? known.type : arg.type });
  }
}

function flagNamed(name: string): PublicArg {
  return { name, type: { kind: 'bool' }, isRequired: false, default: false };
}

function argOf(inner: string): PublicArg | undefined {
  const fallback = nullish.exec(inner)?.[1];
  if (fallback !== undefined) return { name: fallback, type: { kind: 'string' }, isRequired: true };
  const [, not, flag] = conditional.exec(inner) ?? [];
  if (flag !== undefined) return not === '!' ? undefined : flagNamed(flag);
  const [, wanted, type = '', value] = plain.exec(inner) ?? [];
  if (wanted === undefined) return undefined;
  const given = value === undefined ? {} : { default: value };
  return { name: wanted, type: parseType(type), isRequired: value === undefined, ...given };
}
