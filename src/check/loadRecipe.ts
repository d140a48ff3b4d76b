// From a file to something that can run, or the findings that say why not.
import { dirname, resolve as resolvePath } from 'node:path';
import type { Registry } from '../actions/registry.js';
import type { Compiled, Dialect, Resolve } from '../dialects/recipe.js';
import { recipeV1 } from '../dialects/recipeV1/compile.js';
import { type Finding, hasErrors } from '../document/finding.js';
import { type Document, readDocument, readLimits } from '../document/readDocument.js';
import { defaultLimits, type Limits, type Plan } from '../graph/plan.js';
import { PlanError, planRecipe } from '../graph/planRecipe.js';
import { fileSize, insideOf, readBytes } from '../system/files.js';
import { checkRecipe } from './rules.js';

export type Loaded = { document: Document; compiled: Compiled; plan: Plan };

export type Load = { loaded?: Loaded; findings: Finding[]; text: string };

export type LoadOptions = { registry: Registry; projectRoot: string; limits?: Partial<Limits> };

const dialects: readonly Dialect[] = [recipeV1];

export function loadRecipe(file: string, options: LoadOptions): Load {
  const { document, text, findings } = readFile(file);
  if (!document) return { findings, text };
  const dialect = dialects.find((known) => known.detect(document));
  if (!dialect) return { findings: [unknownDocument(document)], text };
  const { compiled, findings: shape } = dialect.compile(document, resolver(options.projectRoot));
  if (!compiled || hasErrors(shape)) return { findings: shape, text };
  const checked = [...shape, ...checkRecipe(compiled, options.registry)];
  if (hasErrors(checked)) return { findings: checked, text };
  return { ...plan({ document, compiled }, options, checked), text };
}

function plan(
  { document, compiled }: Omit<Loaded, 'plan'>,
  { registry, limits }: LoadOptions,
  findings: Finding[],
): Omit<Load, 'text'> {
  const facts = {
    leads: (node: Parameters<typeof leadsOf>[1]) => leadsOf(registry, node),
    opens: (node: Parameters<typeof leadsOf>[1]) => registry.get(node.action)?.opens?.(node, compiled.recipe.flows),
  };
  try {
    return {
      loaded: { document, compiled, plan: planRecipe(compiled.recipe, facts, { ...defaultLimits, ...limits }) },
      findings,
    };
  } catch (thrown) {
    if (!(thrown instanceof PlanError)) throw thrown;
    const { code, pointer: path, message } = thrown;
    return { findings: [...findings, { code, severity: 'error', path, place: compiled.origin(path), message }] };
  }
}

function leadsOf(registry: Registry, node: Compiled['recipe']['setup'][number]) {
  const asked = registry.get(node.action)?.leads?.(node);
  return asked ?? (node.next === undefined ? { kind: 'none' as const } : { kind: 'to' as const, id: node.next });
}

function readFile(file: string): { document?: Document; text: string; findings: Finding[] } {
  const size = fileSize(file);
  const refuse = (code: string, message: string) => {
    return { text: '', findings: [{ code, severity: 'error' as const, path: '', place: { file, line: 1, column: 1 }, message }] };
  };
  if (size === undefined) return refuse('document.not_found', 'There is no such file.');
  if (size > readLimits.bytes)
    return refuse('document.too_large', `The file has ${size} bytes, more than the limit of ${readLimits.bytes}.`);
  return readDocument(file, readBytes(file));
}

function resolver(projectRoot: string): Resolve {
  return (ref, from) => {
    const file = insideOf(projectRoot, ref)
      ? firstThatExists(resolvePath(dirname(from), ref), resolvePath(projectRoot, ref))
      : undefined;
    if (file === undefined) return { problem: 'it is not a file inside the project.' };
    const { document, findings } = readFile(file);
    return document ? { document } : { problem: findings[0]?.message ?? 'it is empty.' };
  };
}

function firstThatExists(...files: string[]): string | undefined {
  return files.find((file) => fileSize(file) !== undefined);
}

function unknownDocument(document: Document): Finding {
  const hint = 'A Recipe v1 document has "schema_version": 1 and "validate": { "workflow": { … } }.';
  return {
    code: 'recipe.missing_validate',
    severity: 'error',
    path: '',
    place: document.place(''),
    message: 'This is no recipe: it has no "validate".',
    hint,
  };
}
