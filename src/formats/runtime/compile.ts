// Runtime Recipe Definition (V1): manifests with a topology of agents, people, logic, sub-recipes and maps.
import { type Finding, hasErrors } from '../../document/finding.js';
import { present } from '../../document/present.js';
import type { Document } from '../../document/readDocument.js';
import type { Compiled, Dialect, Resolve } from '../../recipe/recipe.js';
import { compileClassic } from '../classic/compile.js';
import { Origins } from '../modern/origins.js';
import { checkDocumentRules, checkIntegrity } from './documentRules.js';
import { verifyIntegrity } from './integrity.js';
import { type Manifest, type ManifestRead, readManifest } from './manifest.js';
import { reportErrors, reportLeniency } from './modelFindings.js';
import { type Level, type Problem, Report } from './report.js';
import { isObject } from './scalars.js';
import { isSecretInput } from './secrets.js';
import { shield } from './shield.js';
import { type Json, placed, type Site } from './site.js';
import { translateInstance } from './translateInstance.js';

/** How many nodes a manifest may have with all its sub-recipes written out. */
const mostNodes = 10_000;

export const runtimeRecipe: Dialect = runtimeDialect('compat');

export function runtimeDialect(level: Level): Dialect {
  return {
    name: 'runtime-recipe',
    detect: ({ value }) => isObject(value) && (Object.hasOwn(value, 'topology') || isAlmost(value)),
    compile: (document, resolve) => compileManifest(document, resolve, level),
  };
}

/** A manifest that only lacks its topology is told so, and not that it is no recipe. */
function isAlmost(value: Json): boolean {
  return ['interface', 'state', 'parameters'].every((key) => Object.hasOwn(value, key));
}

function compileManifest(document: Document, resolve: Resolve, level: Level): { compiled?: Compiled; findings: Finding[] } {
  const report = new Report(document, level);
  const read = readManifest(document.text);
  reportErrors(report, read.errors);
  const { manifest } = read;
  if (!manifest) return { findings: report.findings };
  if (manifest.topology.nodes.length > mostNodes) {
    report.refuse(tooManyNodes(manifest));
    return { findings: report.findings };
  }
  checkAll(report, { ...read, manifest });
  const origins = new Origins({ document, keys: [] });
  const files = new Set<string>();
  const site: Site = {
    manifest,
    document,
    report,
    origins,
    resolve: noting(resolve, files),
    stack: [manifest.id],
    budget: { nodes: mostNodes },
  };
  const json = toClassic(site);
  if (hasErrors(report.findings)) return { findings: report.findings };
  const classic = compileClassic(json, { origin: origins.place, file: document.file }, resolve);
  const findings = [...report.findings, ...classic.findings];
  if (!classic.compiled) return { findings };
  return { compiled: { ...classic.compiled, authored: origins.authored, madeOf: [...files], findings }, findings };
}

/** Keeps which files were asked for. */
function noting(resolve: Resolve, files: Set<string>): Resolve {
  return (ref, from) => {
    const found = resolve(ref, from);
    if (found.document) files.add(found.document.file);
    return found;
  };
}

function tooManyNodes({ topology }: Manifest): Problem {
  const message = `The topology has ${topology.nodes.length} nodes, more than the limit of ${mostNodes}.`;
  return { code: 'runtime.too_large', at: ['topology', 'nodes'], message, hint: 'Split it into several recipes.' };
}

function checkAll(report: Report, { manifest, written, given, lenient }: ManifestRead & { manifest: Manifest }): void {
  reportLeniency(report, lenient);
  checkDocumentRules(report, manifest);
  if (written) checkIntegrity(report, verifyIntegrity({ manifest, written, given }));
}

function toClassic(site: Site): Json {
  const { manifest, document, origins, report } = site;
  const at = ['validate', 'workflow', 'nodes'];
  origins.put(['inputs'], { document, keys: ['interface', 'inputs', 'properties'] }, { json: {}, moved: [] });
  origins.put(['title'], { document, keys: ['name'] }, { json: {}, moved: [] });
  const { entry, nodes } = translateInstance(site, { at, depth: 0, level: 0, maps: [] });
  const [blocker] = report.blockers;
  if (blocker && nodes.open) {
    const refused = shield(report.blockers.map(({ message }) => message));
    // What keeps it from running is to be found where it was written.
    nodes.open = placed(site, { at: [...at, 'open'], keys: blocker.at }, { ...nodes.open, refused });
  }
  const inputs = inputsOf(manifest);
  return {
    schema_version: 1,
    ...(manifest.name === '' ? {} : { title: manifest.name }),
    ...present({ description: manifest.description ?? undefined }),
    ...(Object.keys(inputs).length > 0 ? { inputs } : {}),
    validate: { workflow: { entry, nodes } },
  };
}

/** The entry arguments as inputs of Recipe v1; what else their schema asks for is checked when the state is opened. */
function inputsOf({ interface: { inputs } }: Manifest): Json {
  const { properties, required } = inputs as { properties?: unknown; required?: unknown };
  if (typeof properties !== 'object' || properties === null) return {};
  const needed = new Set(Array.isArray(required) ? required : []);
  const entries = Object.entries(properties as Record<string, Json | null>).map(([name, schema]) => {
    const { type, default: fallback, description, ref } = schema ?? {};
    if (isSecretInput(schema)) return [name, { type: 'secret-ref', ...present({ ref, default: fallback }) }];
    const kept = present({ default: fallback, description: typeof description === 'string' ? description : undefined });
    const optional = fallback === undefined && !needed.has(name) ? { required: false } : {};
    return [name, { type: kinds.get(type) ?? 'json', ...kept, ...optional }];
  });
  return Object.fromEntries(entries);
}

const kinds: ReadonlyMap<unknown, string> = new Map([
  ['string', 'string'],
  ['number', 'number'],
  ['integer', 'number'],
  ['boolean', 'boolean'],
]);
