// What travels from a worker to the reporter, in the channels that survive crashes and blobs.
import type { TestInfo } from '@playwright/test';
import type { LoadedRecipe } from '../../check/loadRecipe.js';
import { bytesOf } from '../../evidence/packageSink.js';
import { collectDocuments } from '../../run/packageDocuments.js';

export const protocolNames = {
  /** Static annotation of the test: the id of its package. Reports show annotations, so that nothing private is in them. */
  identity: 'recipewright',
  /** Static annotation: the flow whose example it is; empty for a catalog that cannot be read. */
  flow: 'recipewright flow',
  /** Static annotation: why nothing can run. */
  problem: 'recipewright problem',
  /** Static annotation: a claim of the recipe, as `ID: text`. */
  claim: 'proof target',
  /** Step parameter with the line that opens a node or the run. */
  begin: 'recipewright',
  /** Step annotation, or attachment when it is long or closes the run, with the line that closes it. */
  end: '_recipewright:end',
  /** Attachment: the Recipe v1 document that ran. */
  recipe: 'recipe.json',
  /** Attachments: the other documents of the package, by their names. */
  document: '_recipewright:document',
  /** Attachment: the names of the project's own actions, whether or not the recipe uses them. */
  actions: '_recipewright:actions',
  /** Step parameter: which recipe is run inside of a native test. */
  run: 'recipewright:run',
} as const;

/** Longer lines go by attachment. */
export const maxAnnotationLength = 4_096;

/** `invalid`: nothing ran, so there is no package, and an old one must go; `problem`: why. `flow`: the file is the catalog of this flow. */
export type TestIdentity = { id: string; file: string; invalid?: true; problem?: string; flow?: string };

/** `key` ends the names of what belongs to this run, where a test has several. */
export type RunIdentity = { id: string; key: string };

// The documents of a package, handed to the reporter before the first node runs.

/** `key` tells the runs of one test apart; `ownActions`: those of the project. */
export type DocumentsToSend = { loaded: LoadedRecipe; ownActions: readonly string[]; key?: string };

export function sendDocuments({ loaded, ownActions, key = '' }: DocumentsToSend, testInfo: TestInfo): void {
  sendAttachment(
    testInfo,
    `${protocolNames.recipe}${key}`,
    Buffer.from(`${JSON.stringify(loaded.compiled.recipe.json, null, 2)}\n`),
  );
  if (ownActions.length > 0) sendAttachment(testInfo, protocolNames.actions, Buffer.from(JSON.stringify(ownActions)));
  for (const [path, content] of collectDocuments(loaded)) sendDocument(testInfo, path, bytesOf(content), key);
}

/** Of a document that is to be part of no evidence: the reporter does not look for it either. */
export function withholdDocuments(testInfo: TestInfo): void {
  sendAttachment(testInfo, protocolNames.recipe, Buffer.from('null'));
}

export function sendDocument(testInfo: TestInfo, path: string, body: Buffer, key = ''): void {
  sendAttachment(testInfo, `${protocolNames.document}${key}:${path}`, body);
}

// A push makes no step of its own, and so no look at the stack.
function sendAttachment(testInfo: TestInfo, name: string, body: Buffer): void {
  testInfo.attachments.push({ name, body, contentType: 'application/json' });
}
