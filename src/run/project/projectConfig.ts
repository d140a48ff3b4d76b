// Reads recipewright.config.{mjs,ts,…}, the options of a project for all hosts and commands.
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
  root: z.string().optional().describe('The directory in which catalogs are read and commands run, relative to the config.'),
  recipes: z
    .union([z.string(), z.array(z.string())])
    .optional()
    .describe('Glob patterns of the documents that are tests.'),
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
      headed: z.boolean().describe('Shows the browser window.'),
      cdpPort: z.int().min(1).max(65_535).describe('The CDP port of a running app to attach to. The app is never closed.'),
      baseURL: z.string().min(1).describe('The base of relative URLs in ui.navigate.'),
      page: z.string().min(1).describe('A part of the URL or title of the first page to use in a running app.'),
    })
    .partial()
    .optional()
    .describe('The browser of runs without a test runner.'),
  http: z
    .strictObject({ allowHosts: z.union([z.literal(true), z.array(host)]) })
    .partial()
    .optional()
    .describe('The hosts that http.request may reach, in addition to the host of the base URL.'),
  runner: z
    .strictObject({ source: text, name: text.optional(), version: text.optional(), git_ref: text.optional() })
    .optional()
    .describe('The program that runs the recipes, for the provenance of their packages.'),
  python: z
    .union([z.boolean(), z.strictObject({ program: z.string().min(1).optional(), memoryMb: count.optional() })])
    .optional()
    .describe('Allows the Python code of runtime recipes to run.'),
  flowSpecs: z
    .strictObject({
      allowPrivateHosts: z
        .union([z.boolean(), z.array(text)])
        .describe('Allows localhost and private addresses: all of them, or the listed ones.'),
      subresources: z.enum(['allow', 'admitted-only']),
      beacons: z.enum(['answer', 'send']),
      vendors: z.array(vendorModel).describe('Vendors of beacons that the project adds to the registry.'),
      failOn: z.enum(['critical', 'warning', 'none']),
      stepMs: count,
      expectMs: z.int().min(0),
      resolverCalls: z.int().min(0),
    })
    .partial()
    .optional()
    .describe('The permissions of flow-specs, and the findings that fail their tests.'),
  templates: z
    .strictObject({
      compat: z.boolean().describe('Uses the verdict of the reference runner of the format. The summary has both verdicts.'),
      userRoot: text.describe('The directory of user recipes, which is searched first.'),
      packagedRoot: text.describe('The directory of packaged recipes, which is searched last.'),
      searchPath: z.array(text).describe('Directories that are searched between userRoot and packagedRoot.'),
      skillRoots: z.array(text).describe('Directories of skills, each with a directory "recipes".'),
      agentDir: text.describe('The directory that {agent} stands for.'),
      usage: z
        .enum(['beside', 'in_file'])
        .describe('Counts the runs of recipes in userRoot, in a .usage file beside them or in the file itself.'),
    })
    .partial()
    .optional()
    .describe('The verdict of template recipes, and the directories of their imports, relative to the config.'),
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

/** An invalid config or setup module. The message names the file and the reason. */
export class ConfigError extends Error {}

export function defineConfig(config: ProjectConfig): ProjectConfig {
  return config;
}

/** Returns the config of a project with absolute paths, or an empty object if the project has no config. */
export async function loadConfig(projectRoot: string): Promise<ProjectConfig> {
  const file = configNames.map((name) => resolve(projectRoot, name)).find(isFile);
  if (file === undefined) return {};
  const module = await loadConfigModule(file, 'config');
  const parsed = model.safeParse(module.default);
  if (!parsed.success) throw new ConfigError(`The config ${file} is invalid: ${explainIssue(parsed.error.issues[0])}`);
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
  const toAbsolute = (path: string): string => resolve(projectRoot, path.replace(/^~(?=\/|$)/, homedir()));
  const { userRoot, packagedRoot, agentDir, searchPath, skillRoots } = templates;
  const single = Object.entries({ userRoot, packagedRoot, agentDir }).flatMap(([name, path]) =>
    path ? [[name, toAbsolute(path)]] : [],
  );
  const lists = Object.entries({ searchPath, skillRoots }).flatMap(([name, paths]) =>
    paths ? [[name, paths.map(toAbsolute)]] : [],
  );
  return { ...templates, ...Object.fromEntries([...single, ...lists]) };
}

/** Loads the setup module of a project. Its default export is the result of `defineSetup`. */
export async function loadSetup(file: string): Promise<Setup> {
  if (!isFile(file)) throw new ConfigError(`The setup module ${file} does not exist.`);
  const { default: setup } = await loadConfigModule(file, 'setup module');
  const known = ['actions', 'preconditions', 'operators', 'stateRefs', 'agents', 'logic', 'routers', 'targetResolver'];
  if (typeof setup !== 'object' || setup === null)
    throw new ConfigError(`The setup module ${file} has no default export. Write "export default defineSetup({ … })".`);
  const unknownKey = Object.keys(setup).find((key) => !known.includes(key));
  if (unknownKey !== undefined)
    throw new ConfigError(
      `The setup module ${file} has the unknown key ${JSON.stringify(unknownKey)}. The known keys are ${known.join(', ')}.`,
    );
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
  if (!issue) return 'the default export is not a config.';
  if (issue.code !== 'unrecognized_keys') return `${JSON.stringify(issue.path.join('.'))}: ${issue.message}.`;
  const [key = ''] = issue.keys;
  const meant = findNearest(key, Object.keys(model.shape));
  return `there is no option ${JSON.stringify(key)}.${meant === undefined ? '' : ` Did you mean ${JSON.stringify(meant)}?`}`;
}
