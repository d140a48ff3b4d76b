// Compiles manifests of the Runtime Recipe Definition (V1): topologies of agents, people, logic, sub-recipes and maps.
import { type Finding, hasErrors } from '../../document/finding.js';
import { omitUndefined } from '../../document/omitUndefined.js';
import type { Document } from '../../document/readDocument.js';
import type { CompiledRecipe, Dialect, ResolveDocument } from '../../recipe/recipe.js';
import { compileClassic } from '../classic/compile.js';
import { Origins } from '../modern/origins.js';
import { checkIntegrity, checkManifest, reportErrors, reportLeniency } from './checkManifest.js';
import { escapeBraces } from './escapeBraces.js';
import { FindingReport, type ManifestProblem, type Strictness } from './findingReport.js';
import { verifyIntegrity } from './integrityHash.js';
import type { Manifest } from './manifest.js';
import { isObject } from './python/pythonJson.js';
import { type ManifestRead, readManifest } from './readManifest.js';
import { isSecretInput } from './secretInputs.js';
import { translateManifest } from './translateManifest.js';
import { type Json, recordOrigin, type TranslationContext } from './translationContext.js';

/** The maximum number of nodes of a manifest, including those of all its sub-recipes. */
const maxNodes = 10_000;

export const runtimeRecipe: Dialect = runtimeDialect('compat');

export function runtimeDialect(level: Strictness): Dialect {
  return {
    name: 'runtime-recipe',
    detect: ({ value }) => isObject(value) && (Object.hasOwn(value, 'topology') || lacksOnlyTopology(value)),
    compile: (document, resolve) => compileManifest(document, resolve, level),
  };
}

/** Recognises a manifest without its topology, so that the error is about the topology. */
function lacksOnlyTopology(value: Json): boolean {
  return ['interface', 'state', 'parameters'].every((key) => Object.hasOwn(value, key));
}

function compileManifest(
  document: Document,
  resolve: ResolveDocument,
  level: Strictness,
): { compiled?: CompiledRecipe; findings: Finding[] } {
  const report = new FindingReport(document, level);
  const read = readManifest(document.text);
  reportErrors(report, read.errors);
  const { manifest } = read;
  if (!manifest) return { findings: report.findings };
  if (manifest.topology.nodes.length > maxNodes) {
    report.refuse(tooManyNodes(manifest));
    return { findings: report.findings };
  }
  checkManifestRead(report, { ...read, manifest });
  const origins = new Origins({ document, keys: [] });
  const files = new Set<string>();
  const context: TranslationContext = {
    manifest,
    document,
    report,
    origins,
    resolve: recordFiles(resolve, files),
    stack: [manifest.id],
    budget: { nodes: maxNodes },
  };
  const json = toClassic(context);
  if (hasErrors(report.findings)) return { findings: report.findings };
  const classic = compileClassic(json, { origin: origins.place, file: document.file }, resolve);
  const findings = [...report.findings, ...classic.findings];
  if (!classic.compiled) return { findings };
  return { compiled: { ...classic.compiled, authored: origins.authored, sourceFiles: [...files], findings }, findings };
}

/** Adds each resolved file to `files`. */
function recordFiles(resolve: ResolveDocument, files: Set<string>): ResolveDocument {
  return (ref, from) => {
    const resolved = resolve(ref, from);
    if (resolved.document) files.add(resolved.document.file);
    return resolved;
  };
}

function tooManyNodes({ topology }: Manifest): ManifestProblem {
  const message = `The topology has ${topology.nodes.length} nodes, more than the limit of ${maxNodes}.`;
  return { code: 'runtime.too_large', at: ['topology', 'nodes'], message, hint: 'Split it into several recipes.' };
}

function checkManifestRead(
  report: FindingReport,
  { manifest, withNumerals, authoredTopology, lenient }: ManifestRead & { manifest: Manifest },
): void {
  reportLeniency(report, lenient);
  checkManifest(report, manifest);
  if (withNumerals) checkIntegrity(report, verifyIntegrity({ manifest, withNumerals, authoredTopology }));
}

function toClassic(context: TranslationContext): Json {
  const { manifest, document, origins, report } = context;
  const at = ['validate', 'workflow', 'nodes'];
  origins.recordSource(['inputs'], { document, keys: ['interface', 'inputs', 'properties'] }, { json: {}, moved: [] });
  origins.recordSource(['title'], { document, keys: ['name'] }, { json: {}, moved: [] });
  const { entry, nodes } = translateManifest(context, { at, depth: 0, level: 0, maps: [] });
  const [blocker] = report.blockers;
  if (blocker && nodes.open) {
    const refused = escapeBraces(report.blockers.map(({ message }) => message));
    // The refusal gets the position of its cause.
    nodes.open = recordOrigin(context, { at: [...at, 'open'], keys: blocker.at }, { ...nodes.open, refused });
  }
  const inputs = translateInputs(manifest);
  return {
    schema_version: 1,
    ...(manifest.name === '' ? {} : { title: manifest.name }),
    ...omitUndefined({ description: manifest.description ?? undefined }),
    ...(Object.keys(inputs).length > 0 ? { inputs } : {}),
    validate: { workflow: { entry, nodes } },
  };
}

/** Inputs of Recipe v1. Their JSON Schema is checked in full when the state is opened. */
function translateInputs({ interface: { inputs } }: Manifest): Json {
  const { properties, required } = inputs as { properties?: unknown; required?: unknown };
  if (typeof properties !== 'object' || properties === null) return {};
  const requiredNames = new Set(Array.isArray(required) ? required : []);
  const entries = Object.entries(properties as Record<string, Json | null>).map(([name, schema]) => {
    const { type, default: defaultValue, description, ref } = schema ?? {};
    if (isSecretInput(schema)) return [name, { type: 'secret-ref', ...omitUndefined({ ref, default: defaultValue }) }];
    const fields = omitUndefined({
      default: defaultValue,
      description: typeof description === 'string' ? description : undefined,
    });
    const optional = defaultValue === undefined && !requiredNames.has(name) ? { required: false } : {};
    return [name, { type: inputTypes.get(type) ?? 'json', ...fields, ...optional }];
  });
  return Object.fromEntries(entries);
}

const inputTypes: ReadonlyMap<unknown, string> = new Map([
  ['string', 'string'],
  ['number', 'number'],
  ['integer', 'number'],
  ['boolean', 'boolean'],
]);
