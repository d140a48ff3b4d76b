// The documents of a package, handed to the reporter before the first node runs.
import type { TestInfo } from '@playwright/test';
import type { LoadedRecipe } from '../../check/loadRecipe.js';
import { bytesOf } from '../../evidence/packageSink.js';
import { collectDocuments } from '../../run/packageDocuments.js';
import { wire } from './wire.js';

/** `key` tells the runs of one test apart; `ownActions`: those of the project. */
export type Sending = { loaded: LoadedRecipe; ownActions: readonly string[]; key?: string };

export function sendDocuments({ loaded, ownActions, key = '' }: Sending, testInfo: TestInfo): void {
  send(testInfo, `${wire.recipe}${key}`, Buffer.from(`${JSON.stringify(loaded.compiled.recipe.json, null, 2)}\n`));
  if (ownActions.length > 0) send(testInfo, wire.actions, Buffer.from(JSON.stringify(ownActions)));
  for (const [path, content] of collectDocuments(loaded)) sendDocument(testInfo, path, bytesOf(content), key);
}

/** Of a document that is to be part of no evidence: the reporter does not look for it either. */
export function withholdDocuments(testInfo: TestInfo): void {
  send(testInfo, wire.recipe, Buffer.from('null'));
}

export function sendDocument(testInfo: TestInfo, path: string, body: Buffer, key = ''): void {
  send(testInfo, `${wire.document}${key}:${path}`, body);
}

// A push makes no step of its own, and so no look at the stack.
function send(testInfo: TestInfo, name: string, body: Buffer): void {
  testInfo.attachments.push({ name, body, contentType: 'application/json' });
}
