// The names of the annotations, steps and attachments that a worker sends journals and documents with. They survive crashes and blobs.
import type { TestInfo } from '@playwright/test';
import type { LoadedRecipe } from '../../check/loadRecipe.js';
import { bytesOf } from '../../evidence/packageSink.js';
import { collectDocuments } from '../../run/collectDocuments.js';

export const protocolNames = {
  /** Static annotation of the test: the id of its package. Reports show annotations, so annotations contain nothing private. */
  identity: 'recipewright',
  /** Static annotation: the flow that the test is an example of; empty for a catalog that is not valid. */
  flow: 'recipewright flow',
  /** Static annotation: why the recipe cannot run. */
  problem: 'recipewright problem',
  /** Static annotation: a claim of the recipe, as `ID: text`. */
  claim: 'proof target',
  /** Step parameter with the line that opens a node or the run. */
  begin: 'recipewright',
  /** Step annotation with the line that closes a node or the run; an attachment if the line is long or closes the run. */
  end: '_recipewright:end',
  /** Attachment: the Recipe v1 document that ran. */
  recipe: 'recipe.json',
  /** Attachments: the other documents of the package, by their names. */
  document: '_recipewright:document',
  /** Attachment: the names of the project's own actions, whether or not the recipe uses them. */
  actions: '_recipewright:actions',
  /** Step parameter: the recipe that a native test runs. */
  run: 'recipewright:run',
} as const;

/** Longer lines are sent as attachments. */
export const maxAnnotationLength = 4_096;

export type TestIdentity = {
  id: string;
  file: string;
  /** The document is not valid, so there is no package, and an old one must be removed. */
  invalid?: true;
  /** Why the recipe did not run. */
  problem?: string;
  /** The flow of the catalog `file`. */
  flow?: string;
};

/** In a test with several runs, the names of all annotations, steps and attachments of a run end with its `key`. */
export type RunIdentity = { id: string; key: string };

type DocumentsToSend = {
  loaded: LoadedRecipe;
  /** The names of the project's own actions. */
  ownActions: readonly string[];
  key?: string;
};

/** Sends the documents of a package before the first node runs. */
export function sendDocuments({ loaded, ownActions, key = '' }: DocumentsToSend, testInfo: TestInfo): void {
  sendAttachment(
    testInfo,
    `${protocolNames.recipe}${key}`,
    Buffer.from(`${JSON.stringify(loaded.compiled.recipe.json, null, 2)}\n`),
  );
  if (ownActions.length > 0) sendAttachment(testInfo, protocolNames.actions, Buffer.from(JSON.stringify(ownActions)));
  for (const [path, content] of collectDocuments(loaded)) sendDocument(testInfo, path, bytesOf(content), key);
}

/** Sends `null` for a document that must not be part of any evidence. Then the reporter does not read its file either. */
export function withholdDocuments(testInfo: TestInfo): void {
  sendAttachment(testInfo, protocolNames.recipe, Buffer.from('null'));
}

export function sendDocument(testInfo: TestInfo, path: string, body: Buffer, key = ''): void {
  sendAttachment(testInfo, `${protocolNames.document}${key}:${path}`, body);
}

// Unlike testInfo.attach(), attachments.push() adds no step.
function sendAttachment(testInfo: TestInfo, name: string, body: Buffer): void {
  testInfo.attachments.push({ name, body, contentType: 'application/json' });
}
