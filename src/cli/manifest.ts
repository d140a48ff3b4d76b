// recipewright manifest: prints the actions that a project can execute, as a table or as the protocol's action manifest.
import { join } from 'node:path';
import { playwrightPackages } from '../browser/launch/loadPlaywright.js';
import { oneLine } from '../document/printFinding.js';
import { exitCodes } from '../evidence/failureTable.js';
import { type Capabilities, createCapabilities } from '../registry/capabilities.js';
import { type SetupDeclarations, toManifest } from '../registry/manifest/toManifest.js';
import { findInstalledPackage, findProjectRoot } from '../system/project.js';
import { loadUsableProject, parseProjectRoot, parseSetup } from './declarations.js';
import { print, printJson } from './output.js';

export type ManifestOptions = Partial<Readonly<Record<'setup' | 'projectRoot' | 'json', unknown>>>;

export async function manifest({ setup: setupOption, projectRoot, json }: ManifestOptions): Promise<number> {
  const root = parseProjectRoot(projectRoot);
  const home = root ?? findProjectRoot(join(process.cwd(), 'recipe'));
  const { setup, projectRoot: projectDir } = await loadUsableProject({ home, root, setup: parseSetup(setupOption) });
  // With Playwright, a project can have any fixtures. Without Playwright, it has none.
  const capabilities = createCapabilities(
    playwrightPackages.some((name) => findInstalledPackage(projectDir, name)) ? { setup } : { setup, fixtures: [] },
  );
  if (json) printJson(toManifest(capabilities.registry, listDeclarations(capabilities)));
  else print(manifestToText(capabilities));
  return exitCodes.pass;
}

function listDeclarations({ preconditions, operators, stateRefs }: Capabilities): Required<SetupDeclarations> {
  return {
    preconditions: [...preconditions.values()].map(({ id, description, failureKind = 'environment' }) => ({
      id,
      description,
      failure_kind: failureKind,
    })),
    operators: [...operators].map(([name, operator]) => ({ name, ...readDescription(operator) })),
    stateRefs: [...stateRefs.values()].map(({ name, description }) => ({ name, description })),
  };
}

function readDescription(operator: object): { description?: string } {
  return 'description' in operator ? { description: String(operator.description) } : {};
}

type Row = readonly [name: string, description: string | undefined];

function manifestToText(capabilities: Capabilities): string {
  const { preconditions, operators, stateRefs } = listDeclarations(capabilities);
  const actions = [...capabilities.registry.values()].filter(({ internal }) => !internal);
  const tables: readonly (readonly [title: string, rows: readonly Row[]])[] = [
    ['', actions.map(({ name, description }) => [name, description])],
    ['Preconditions', preconditions.map(({ id, description }) => [id, description])],
    ['Assertion operators', operators.map(({ name, description }) => [name, description])],
    ['State refs', stateRefs.map(({ name, description }) => [name, description])],
  ];
  const width = Math.max(...tables.flatMap(([, rows]) => rows.map(([name]) => name.length)));
  const formatRow = ([name, description = '']: Row): string => `${oneLine(name).padEnd(width)}  ${oneLine(description)}`;
  return tables
    .filter(([, rows]) => rows.length > 0)
    .map(([title, rows]) => [...(title ? [title] : []), ...rows.map(formatRow)].join('\n'))
    .join('\n\n');
}
