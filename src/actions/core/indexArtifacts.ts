import { extname, posix } from 'node:path';
import * as z from 'zod';
import type { Capture } from '../../evidence/journal.js';
import { isArtifactPath } from '../../evidence/packageFiles.js';
import { RecipeError } from '../../evidence/recipeError.js';
import { type ActionContext, defineAction } from '../action.js';
import { projectPath, readProjectFile } from './projectFile.js';

const text = z.string().min(1);

const artifact = z.strictObject({
  path: projectPath.describe('Relative to the project root. The file has the same path in the package.'),
  type: text.optional(),
  label: text.optional(),
  nodeId: text.optional(),
  mimeType: text.optional(),
  category: text.optional(),
  proofTarget: text.optional(),
  covers: z.array(text).optional(),
});

type ListedArtifact = string | z.output<typeof artifact>;

export const indexArtifacts = defineAction({
  name: 'index_artifacts',
  description: 'Stores project files in the package as evidence.',
  schema: z.strictObject({ artifacts: z.array(z.union([projectPath, artifact])).min(1) }),
  examples: [
    {
      description: 'Store a report and a log.',
      node: { action: 'index_artifacts', artifacts: ['reports/api.json', 'logs/api.log'] },
    },
  ],
  effect: 'reads',
  captures: true,
  fallible: () => true,
  run({ artifacts }, context) {
    const captures = artifacts.map((listed) => captureFile(listed, context));
    return { output: { artifacts: captures.map(({ path }) => path) }, artifacts: captures };
  },
});

function captureFile(listed: ListedArtifact, { projectRoot, node }: ActionContext): Capture {
  const {
    path,
    type,
    label,
    mimeType,
    category,
    proofTarget = node.proofTarget,
  } = typeof listed === 'string' ? { path: listed } : listed;
  const packagePath = posix.normalize(path.replaceAll('\\', '/'));
  if (!isArtifactPath(packagePath)) throw reservedNameError(path);
  const body = readProjectFile(projectRoot, path);
  if (!body) throw new RecipeError('index_artifacts.no_file', 'action', `There is no file ${path} to store.`);
  return {
    ...{ path: packagePath, type: type ?? typeOf(path), body },
    ...(label === undefined ? {} : { label }),
    ...(category === undefined ? {} : { category }),
    ...(mimeType === undefined ? {} : { mimeType }),
    ...(proofTarget === undefined ? {} : { proofTarget }),
  };
}

function reservedNameError(path: string): RecipeError {
  const message = `The package uses the name ${JSON.stringify(path)} itself. Copy the file to another name in an earlier node, and list the copy.`;
  return new RecipeError('index_artifacts.reserved_name', 'action', message);
}

const artifactTypes: readonly (readonly [type: string, extensions: readonly string[]])[] = [
  ['screenshot', ['.png', '.jpg', '.jpeg', '.gif', '.webp']],
  ['video', ['.mp4', '.mov', '.webm']],
  ['log', ['.log']],
  ['json', ['.json']],
  ['report', ['.md', '.html']],
];

function typeOf(path: string): string {
  const extension = extname(path).toLowerCase();
  return artifactTypes.find(([, extensions]) => extensions.includes(extension))?.[0] ?? 'other';
}
