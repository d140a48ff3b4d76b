// recipewright.config.{mjs,ts,…}: what a project says once for every host and command.
import { homedir } from 'node:os';
import { resolve } from 'node:path';
import * as z from 'zod';
import { isHostPattern } from '../../actions/http/admittedHosts.js';
import { findNearest } from '../../document/didYouMean.js';
import { vendorModel } from '../../formats/flowSpec/vendors.js';
import type { Setup } from '../../registry/setup.js';
import { isFile } from '../../system/files/files.js';
import { importProjectModule } from '../../system/importProjectModule.js';
import { configNames } from '../../system/project.js';

const count = z.int().min(1);
const text = z.string().min(1);
const host = text.refine(isHostPattern, 'must be a host such as "api.example.com", "localhost:4000" or "*.internal.test"');
const model = z.strictObject({
  root: z.string().optional().describe('Where catalogs are read and commands run, relative to the config.'),
  recipes: z
    .union([z.string(), z.array(z.string())])
    .optional()
    .describe('Globs of the documents that are tests.'),
  setup: z.string().optional().describe('The setup module, relative to the config.'),
  aliases: z.record(z.string(), z.string()).optional(),
  libraries: z.record(z.string(), z.string()).optional(),
  inputs: z.record(z.string(), z.unknown()).optional(),
  answers: z.record(z.string(), z.enum(['pass', 'fail'])).optional(),
  passEnv: z.array(z.string()).optional(),
  allowBlocked: z.boolean().optional(),
  browser: z
    .strictObject({
      name: z.string().min(1).describe('chromium, firefox, webkit, or the path of a Chromium, Chrome or Edge program.'),
      headed: z.boolean().describe('With a window.'),
      cdpPort: z.int().min(1).max(65_535).describe('Of an app that runs already: it is attached to, and never closed.'),
      baseURL: z.string().min(1).describe('What paths in ui.navigate are relative to.'),
      page: z.string().min(1).describe('A part of the URL or the title of the page to begin with in an app that runs already.'),
    })
    .partial()
    .optional()
    .describe('For runs without a test host.'),
  http: z
    .strictObject({ allowHosts: z.union([z.literal(true), z.array(host)]) })
    .partial()
    .optional()
    .describe('Hosts that http.request may reach, besides that of the base URL.'),
  runner: z
    .strictObject({ source: text, name: text.optional(), version: text.optional(), git_ref: text.optional() })
    .optional()
    .describe('Who runs the recipes, for the provenance of their packages.'),
  python: z
    .union([z.boolean(), z.strictObject({ program: z.string().min(1).optional(), memoryMb: count.optional() })])
    .optional()
    .describe('Lets the Python code of runtime recipes run.'),
  flowSpecs: z
    .strictObject({
      allowPrivateHosts: z.union([z.boolean(), z.array(text)]).describe('Localhost and private ranges, all or by name.'),
      subresources: z.enum(['allow', 'admitted-only']),
      beacons: z.enum(['answer', 'send']),
      vendors: z.array(vendorModel).describe('Beacons of the project itself, beside those of the registry.'),
      failOn: z.enum(['critical', 'warning', 'none']),
      stepMs: count,
      expectMs: z.int().min(0),
      resolverCalls: z.int().min(0),
    })
    .partial()
    .optional()
    .describe('What flow-specs may do, and which of their findings fail a test.'),
  templates: z
    .strictObject({
      compat: z.boolean().describe('The verdict is that of the reference of the format; both stand in the summary.'),
      userRoot: text.describe('Recipes of the user, which come before all others of their name.'),
      packagedRoot: text.describe('Recipes that come with a package, after all others.'),
      searchPath: z.array(text).describe('More places for bare names, between the two.'),
      skillRoots: z.array(text).describe('Folders of skills, each with its "recipes".'),
      agentDir: text.describe('What {agent} stands for.'),
      usage: z
        .enum(['beside', 'in_file'])
        .describe('Count the starts of recipes in userRoot, in .usage beside them or in the file itself.'),
    })
    .partial()
    .optional()
    .describe('How template recipes are judged, and where their imports are found; folders are relative to the config.'),
  nodeTimeoutMs: count.optional(),
  teardownMs: count.optional(),
  limits: z
    .strictObject({
      bytes: count,
      depth: count,
      stringBytes: count,
      nodes: count,
      visitsPerNode: count,
      stepsPerRun: count,
      callDepth: count,
    })
    .partial()
    .optional(),
});

export type ProjectConfig = z.infer<typeof model>;

/** A config or setup module that cannot be used; the message says which and why. */
export class ConfigError extends Error {}

export function defineConfig(config: ProjectConfig): ProjectConfig {
  return config;
}

/** The config of a project, or nothing of the kind. Paths in it are made absolute. */
export async function loadConfig(projectRoot: string): Promise<ProjectConfig> {
  const file = configNames.map((name) => resolve(projectRoot, name)).find(isFile);
  if (file === undefined) return {};
  const loaded = await loadConfigModule(file, 'config');
  const parsed = model.safeParse(loaded.default);
  if (!parsed.success) throw new ConfigError(`The config ${file} cannot be used: ${explainIssue(parsed.error.issues[0])}`);
  const { root, setup, libraries, templates, ...rest } = parsed.data;
  return {
    ...rest,
    ...(root === undefined ? {} : { root: resolve(projectRoot, root) }),
    ...(setup === undefined ? {} : { setup: resolve(projectRoot, setup) }),
    ...(templates === undefined ? {} : { templates: resolveTemplatePaths(templates, projectRoot) }),
    ...(libraries === undefined
      ? {}
      : { libraries: Object.fromEntries(Object.entries(libraries).map(([name, path]) => [name, resolve(projectRoot, path)])) }),
  };
}

type Templates = NonNullable<z.output<typeof model>['templates']>;

function resolveTemplatePaths(templates: Templates, projectRoot: string): Templates {
  const at = (path: string): string => resolve(projectRoot, path.replace(/^~(?=\/|$)/, homedir()));
  const { userRoot, packagedRoot, agentDir, searchPath, skillRoots } = templates;
  const one = Object.entries({ userRoot, packagedRoot, agentDir }).flatMap(([name, path]) => (path ? [[name, at(path)]] : []));
  const many = Object.entries({ searchPath, skillRoots }).flatMap(([name, paths]) => (paths ? [[name, paths.map(at)]] : []));
  return { ...templates, ...Object.fromEntries([...one, ...many]) };
}

/** The setup module of a project: its default export is what `defineSetup` gave. */
export async function loadSetup(file: string): Promise<Setup> {
  if (!isFile(file)) throw new ConfigError(`There is no setup module ${file}.`);
  const { default: setup } = await loadConfigModule(file, 'setup module');
  const known = ['actions', 'preconditions', 'operators', 'stateRefs', 'agents', 'logic', 'routers', 'targetResolver'];
  if (typeof setup !== 'object' || setup === null)
    throw new ConfigError(`The setup module ${file} has no default export made by defineSetup({ … }).`);
  const unknownKey = Object.keys(setup).find((key) => !known.includes(key));
  if (unknownKey !== undefined)
    throw new ConfigError(`The setup module ${file} has ${JSON.stringify(unknownKey)}, which is none of ${known.join(', ')}.`);
  return setup as Setup;
}

async function loadConfigModule(file: string, kind: string): Promise<Record<string, unknown>> {
  try {
    return await importProjectModule(file);
  } catch (thrown) {
    const why = thrown instanceof Error ? thrown.message : String(thrown);
    throw new ConfigError(`The ${kind} ${file} could not be loaded: ${why}`, { cause: thrown });
  }
}

function explainIssue(issue: z.core.$ZodIssue | undefined): string {
  if (!issue) return 'it is not a config.';
  if (issue.code !== 'unrecognized_keys') return `${JSON.stringify(issue.path.join('.'))}: ${issue.message}.`;
  const [key = ''] = issue.keys;
  const meant = findNearest(key, Object.keys(model.shape));
  return `it has no setting ${JSON.stringify(key)}.${meant === undefined ? '' : ` Did you mean ${JSON.stringify(meant)}?`}`;
}
