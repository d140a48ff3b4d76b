export { z } from 'zod';
export type { Action, ActionContext, ActionResult } from './actions/action.js';
export { defineAction } from './actions/action.js';
export { officialVocabulary as officialActions } from './actions/vocabulary.js';
export { type CheckFileOptions, checkFile, type FileCheck } from './check/checkFile.js';
export type { Finding, Place } from './document/finding.js';
export { printFinding } from './document/printFinding.js';
export type { Artifact, Assert, Capture, JournalLine } from './evidence/journal.js';
export { type ReadPackage, readPackage } from './evidence/readPackage.js';
export { type FailureKind, RecipeError } from './evidence/recipeError.js';
export type { TraceEntry } from './evidence/trace.js';
export type { Proof, Verdict } from './evidence/verdict.js';
export type { ArtifactManifest, Summary } from './evidence/writePackage.js';
export type { BeaconEvent } from './formats/flowSpec/readBeacons.js';
export type { FlowSettings, ResolverRequest, TargetResolver } from './formats/flowSpec/settings.js';
export type { Vendor } from './formats/flowSpec/vendors.js';
export {
  type Agent,
  type AgentRequest,
  defineAgent,
  defineLogic,
  defineRouter,
  type Logic,
  type Router,
} from './formats/runtime/actions/projectHandlers.js';
export type { RunOptions, RunResult } from './hosts/plain/runRecipe.js';
export { runRecipeInTest as runRecipe } from './hosts/vitest/runRecipeInTest.js';
export { fromManifest } from './registry/manifest/fromManifest.js';
export {
  type CheckContext,
  defineOperator,
  definePrecondition,
  defineSetup,
  defineStateRef,
  type Precondition,
  type Setup,
  type StateRef,
} from './registry/setup.js';
export { defineConfig, type ProjectConfig } from './run/project/projectConfig.js';
export { type Verification, type VerifyOptions, verifyPackage } from './verify/verifyPackage.js';
