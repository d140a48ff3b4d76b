// Reads the actions, libraries and settings that recipes are checked against: those of recipewright, the project or an action manifest.
import { resolve } from 'node:path';
import type { Declaration } from '../actions/action.js';
import { officialVocabulary, type Vocabulary } from '../actions/vocabulary.js';
import type { CheckFileOptions } from '../check/checkFile.js';
import { readDocumentFile } from '../check/readDocumentFile.js';
import { hasErrors } from '../document/finding.js';
import { omitUndefined } from '../document/omitUndefined.js';
import { capabilityNames, createCapabilities } from '../registry/capabilities.js';
import { fromManifest, type ManifestVocabulary } from '../registry/manifest/fromManifest.js';
import { extensionActions } from '../registry/registry.js';
import { wellKnownInputs } from '../run/inputs/resolveInputs.js';
import { loadProject, type Project, type ProjectPlace } from '../run/project/loadProject.js';
import { ConfigError } from '../run/project/projectConfig.js';
import { vendorsOf } from '../run/project/projectSettings.js';
import { readPathKind } from '../system/files/files.js';
import { findProjectRoot } from '../system/project.js';
import { parsePairs } from './arguments.js';
import { type CheckedFile, relativeToCwd } from './findingsReport.js';
import { UsageError } from './usage.js';

export type DeclarationOptions = { actionManifest?: unknown; library?: unknown; projectRoot?: unknown; setup?: unknown };

type Declarations = {
  vocabulary: Vocabulary;
  libraries: ReadonlyMap<string, string>;
  /** The action manifest, checked as a document. */
  manifest?: CheckedFile;
} & Partial<Omit<ManifestVocabulary, 'findings' | 'vocabulary'>>;

/** Reads --action-manifest and --library. */
export function readDeclarations({ actionManifest, library }: DeclarationOptions): Declarations {
  const libraries = parseLibraries(library);
  if (actionManifest === undefined)
    return {
      vocabulary: new Map([...officialVocabulary, ...extensionActions.map((action) => [action.name, action] as const)]),
      libraries,
    };
  if (typeof actionManifest !== 'string' || actionManifest === '') throw new UsageError('--action-manifest needs one file.');
  const file = resolve(actionManifest);
  const { document, text, findings: problems } = readDocumentFile(file);
  if (!document) {
    const [first] = problems;
    throw new UsageError(`The action manifest ${actionManifest} cannot be read: ${first?.message ?? 'it is empty.'}`);
  }
  const { findings, vocabulary, ...known } = fromManifest(document.value, document.place);
  return {
    ...known,
    vocabulary: new Map([...builtInActions(document.value), ...vocabulary]),
    libraries,
    manifest: { file, dialect: 'action-manifest', text, findings: [...problems, ...findings] },
  };
}

type ProjectCheckOptions = Omit<CheckFileOptions, 'production'>;

/**
 * Returns a function from a file to its check options, which include the settings of the file's project.
 * Each project is loaded once. With an action manifest, the setup module of the project is not loaded.
 */
export function createCheckOptions(
  options: DeclarationOptions,
  { manifest, ...declarations }: Declarations,
): (file: string) => Promise<ProjectCheckOptions> {
  const root = parseProjectRoot(options.projectRoot);
  const setup = parseSetup(options.setup);
  const byProject = new Map<string, ProjectCheckOptions>();
  return async (file) => {
    const home = root ?? findProjectRoot(file);
    const cached = byProject.get(home);
    if (cached) return cached;
    const project = await loadUsableProject({ home, root, setup, withoutSetup: manifest !== undefined });
    const checkOptions = mergeProject(project, declarations);
    byProject.set(home, checkOptions);
    return checkOptions;
  };
}

function mergeProject(
  { config, projectRoot, setup }: Project,
  { vocabulary, libraries, ...declarations }: Declarations,
): ProjectCheckOptions {
  const capabilities = createCapabilities({ setup });
  const hasSetup = Object.keys(setup).length > 0;
  return {
    ...declarations,
    ...(hasSetup
      ? { ...capabilityNames(capabilities), vocabulary: new Map([...vocabulary, ...capabilities.registry]) }
      : { vocabulary }),
    projectRoot,
    wellKnown: wellKnownInputs,
    limits: omitUndefined({ ...config.limits }),
    aliases: new Map(Object.entries(config.aliases ?? {})),
    vendors: vendorsOf(config),
    templates: config.templates,
    libraries: new Map([...Object.entries(config.libraries ?? {}), ...libraries]),
  };
}

/** @throws UsageError when the config of the project is invalid, because its recipes cannot be checked then */
export async function loadUsableProject(place: ProjectPlace): Promise<Project> {
  try {
    return await loadProject(place);
  } catch (thrown) {
    if (!(thrown instanceof ConfigError)) throw thrown;
    throw new UsageError(thrown.message, { cause: thrown });
  }
}

// Compiled documents use recipewright's own actions. A manifest of the modern shape lists only the actions of adapters,
// and no adapter implements call, switch and end.
function builtInActions(manifest: unknown): [string, Declaration][] {
  const isModern = typeof manifest === 'object' && manifest !== null && Object.hasOwn(manifest, 'actions');
  const graphActions = isModern ? ['call', 'switch', 'end'].flatMap((name) => officialVocabulary.get(name) ?? []) : [];
  return [...extensionActions, ...graphActions].map((action) => [action.name, action]);
}

/** Returns the directory of --project-root. Without the option, each file belongs to the project that contains the file. */
export function parseProjectRoot(projectRoot: unknown): string | undefined {
  if (projectRoot === undefined) return undefined;
  if (typeof projectRoot !== 'string' || projectRoot === '') throw new UsageError('--project-root needs one directory.');
  if (readPathKind(projectRoot) !== 'directory') throw new UsageError(`The project root ${projectRoot} is not a directory.`);
  return resolve(projectRoot);
}

export function parseSetup(setup: unknown): string | undefined {
  if (setup === undefined) return undefined;
  if (typeof setup !== 'string' || setup === '') throw new UsageError('--setup needs one module.');
  return resolve(setup);
}

/** Returns the message for recipes that cannot be checked because the action manifest has errors. */
export function describeBrokenManifest(manifest: CheckedFile | undefined): string | undefined {
  if (!manifest || !hasErrors(manifest.findings)) return undefined;
  return `The recipes were not checked, because the action manifest ${relativeToCwd(manifest.file)} has errors. Fix the manifest and check again.`;
}

export function parseLibraries(rawValue: unknown): Map<string, string> {
  return new Map(
    [...parsePairs('--library name=path', rawValue)].map(([name, path]) => {
      if (readPathKind(path) !== 'directory')
        throw new UsageError(`--library ${name} needs a directory, but ${path} is not a directory.`);
      return [name, resolve(path)];
    }),
  );
}
