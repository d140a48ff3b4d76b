// Finds the public arguments of a recipe: the declared ones, and the names that its template reads but does not set.
import { type ArgType, parseDeclarations, parseType } from './argDeclarations.js';
import { isObject, type TemplateNode, toRootNode } from './model.js';
import { type Layer, mergeDefaults, mergeFixedValues } from './templateValues.js';

export type PublicArg = { name: string; type: ArgType; isRequired: boolean; default?: unknown };

const namePattern = '[A-Za-z_][A-Za-z0-9_-]*';
const flagPattern = new RegExp(`^!?(${namePattern})$`);
const roundNamePattern = /^_*(index|prev|next|repeat)$/;
const conditionalPattern = new RegExp(`^(!?)(${namePattern})\\?([^?].*)?$`, 's');
const nullishPattern = new RegExp(`^(${namePattern})\\?\\?`);
const plainPattern = new RegExp(`^(${namePattern})(?::(string|path|int|number|bool|array|enum\\([^)]*\\)))?(?:=(.*))?$`, 's');

/** With `typed`, the types in `args` count. The reference implementation ignores these types. */
export function publicArgs(template: unknown, { typed = true }: { typed?: boolean } = {}): PublicArg[] {
  const declared = parseDeclarations(toRootNode(template).args);
  const collector = new ArgCollector(typed ? new Set(declared.map(({ name }) => name)) : new Set());
  for (const { name, type, default: value } of declared) {
    const defaultPart = value === undefined ? {} : { default: value };
    collector.args.set(name, { name, type: typed ? type : { kind: 'string' }, isRequired: value === undefined, ...defaultPart });
  }
  collector.visit(template, { defaults: {}, fixed: {} });
  return [...collector.args.values()];
}

/** The values that apply to a string. No caller can change the `fixed` ones. */
type KnownValues = { defaults: Layer; fixed: Layer };

class ArgCollector {
  readonly args = new Map<string, PublicArg>();

  /** `declared` are the arguments whose types are final. */
  constructor(private readonly declared: ReadonlySet<string>) {}

  visit(value: unknown, outer: KnownValues): void {
    if (typeof value === 'string') this.read(value, outer);
    if (Array.isArray(value)) for (const step of value) this.visit(step, outer);
    if (isObject(value)) this.visitNode(value, outer);
  }

  private visitNode(node: TemplateNode, outer: KnownValues): void {
    const own = isObject(node.defaults) ? node.defaults : undefined;
    const inside = { defaults: mergeDefaults(own, outer.defaults), fixed: mergeFixedValues(node.values, outer.fixed) ?? {} };
    const values = Object.entries({ ...own, ...inside.fixed }).filter(([key, value]) => value !== `{${key}}`);
    for (const [, value] of values) this.read(value, inside);
    this.visit(node.template, inside);
    this.visit(node.recover, inside);
    for (const control of [node.timeout, node.delay, node.retry]) this.read(control, inside);
    if (typeof node.when === 'string') this.readWhen(node.when.trim(), inside);
  }

  private readWhen(when: string, outer: KnownValues): void {
    const flag = flagPattern.exec(when)?.[1];
    if (flag === undefined) this.read(when, outer);
    else if (flag !== 'true' && flag !== 'false') this.add(createFlagArg(flag), outer);
  }

  private read(text: unknown, outer: KnownValues): void {
    if (typeof text !== 'string' || !text.includes('{')) return;
    for (const [, inner = ''] of text.matchAll(/\{([^{}]+)\}/g)) {
      const arg = parsePlaceholderArg(inner);
      if (arg && !roundNamePattern.test(arg.name)) this.add(arg, outer);
    }
  }

  private add(arg: PublicArg, { defaults, fixed }: KnownValues): void {
    if (Object.hasOwn(fixed, arg.name)) return;
    const known = this.args.get(arg.name);
    const defaultPart = Object.hasOwn(defaults, arg.name) ? { isRequired: false, default: defaults[arg.name] } : {};
    if (!known) {
      this.args.set(arg.name, { ...arg, ...defaultPart });
      return;
    }
    const keepsType = this.declared.has(arg.name) || arg.type.kind === 'string' || known.type.kind !== 'string';
    this.args.set(arg.name, { ...known, ...defaultPart, type: keepsType ? known.type : arg.type });
  }
}

function createFlagArg(name: string): PublicArg {
  return { name, type: { kind: 'bool' }, isRequired: false, default: false };
}

function parsePlaceholderArg(inner: string): PublicArg | undefined {
  const nullishName = nullishPattern.exec(inner)?.[1];
  if (nullishName !== undefined) return { name: nullishName, type: { kind: 'string' }, isRequired: true };
  const [, not, flag] = conditionalPattern.exec(inner) ?? [];
  if (flag !== undefined) return not === '!' ? undefined : createFlagArg(flag);
  const [, name, type = '', value] = plainPattern.exec(inner) ?? [];
  if (name === undefined) return undefined;
  const defaultPart = value === undefined ? {} : { default: value };
  return { name: name, type: parseType(type), isRequired: value === undefined, ...defaultPart };
}
