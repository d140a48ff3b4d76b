// The types of actions. Rules, engine and hosts read the facts that an action declares and never compare its name.
import type { z } from 'zod';
import type { Call } from '../browser/pageCalls.js';
import type { AssertionValues, Evaluation } from '../engine/evaluateAssertion.js';
import type { PathResult } from '../engine/jsonPath.js';
import type { Next } from '../engine/plan.js';
import type { BodyPlan } from '../engine/planRecipe.js';
import type { UnexpectedLog } from '../evidence/issues.js';
import type { Assert, Capture } from '../evidence/journal.js';
import type { RecipeError } from '../evidence/recipeError.js';
import type { Assertion, Flow, RecipeNode, Status } from '../recipe/recipe.js';
import type { Clock } from '../system/clock.js';
import type { FileBaseline } from '../system/files/fileBaseline.js';
import type { CapturedOutput, OutputListener, StreamMasker } from '../system/processes/runProcess.js';
import type { RunServices } from './service/runServices.js';

/** The facts of an action, without the code that runs it. */
export type Declaration<S extends z.ZodType = z.ZodType> = {
  name: string;
  description: string;
  /** The action's own fields, at the top level of the node. Fields that every node has are not part of it. */
  schema: S;
  examples: readonly { description: string; node: Readonly<Record<string, unknown>> }[];
  effect: Effect | ((node: RecipeNode) => Effect);
  /** Whether the action evaluates an assertion, as ui.wait_for does. */
  asserts?: boolean | ((node: RecipeNode) => boolean);
  /** The action evaluates the node's `assert` itself, on other data than its output. */
  readsAssert?: boolean;
  /** Whether the action itself, without its `assert`, can fail because of the app under test. */
  fallible?(fields: z.output<S>, flows: ReadonlyMap<string, Flow>): boolean;
  /** The action stores screenshots or other files as evidence. */
  captures?: boolean;
  /** The default timeout of the node. */
  timeoutMs?: number | ((node: RecipeNode) => number | undefined);
  /** How long the action may take to stop after its signal is aborted. The run then continues without waiting for it. */
  stopMs?: number;
  /** The fixtures that the action requires from the host. */
  needs?: readonly string[] | ((node: RecipeNode) => readonly string[]);
  /** The action also runs without Playwright: on a page it calls only the methods that src/browser/cdp implements. */
  worksOverCdpPort?: boolean;
  /** The fixtures that the action uses when the host has them. */
  optionalNeeds?: readonly string[] | ((node: RecipeNode) => readonly string[]);
  /** The programs that the action starts although the fields of the node do not name them. */
  programs?(node: RecipeNode): readonly string[];
  /** The path of a file in which the action looks for new lines. The run remembers the file's content when it begins. */
  watchedFile?(node: RecipeNode): string | undefined;
  /** Only the plan adds nodes with this action. A document cannot use it. */
  internal?: boolean;
  /**
   * Names the fields that are missing although each field is valid by itself. The result completes the sentence
   * "ui.press needs …".
   */
  describeMissing?(node: RecipeNode): string | undefined;
  /** The JSON Schemas in the node's fields. `keys`: the path of the field. `label`: the name for messages. */
  schemas?(node: RecipeNode): readonly FieldSchema[];
  /** Names of fields that hold a regular expression. */
  patternFields?: readonly string[];
  /** Names of fields that hold the id of an earlier node, whose output the action reads. */
  sourceFields?: readonly string[];
  /** Finding codes that the protocol defines for a missing or invalid field, by field name. */
  fieldCodes?: Readonly<Record<string, { missing: string; invalid: string }>>;
  /** Names of fields that may hold a secret. */
  secretFields?: readonly string[];
  /** The action reaches the app under test without the page, so it could itself produce what the page has to show. */
  bypassesPage?: boolean;
  /** Names of fields that hold strings, also in lists and objects. A number that replaces a reference becomes a string. */
  textFields?: readonly string[];
  /** Names of fields that a shell executes. References in them become environment variables, so that no value is run as code. */
  shellFields?: readonly string[];
  /** Returns files, by name, for the package of a run that was refused before its first node. */
  documentRefusal?(node: RecipeNode, why: { code: string; message: string }): ReadonlyMap<string, string> | undefined;
  /** Returns what can follow the node, for an action that does not simply continue with `next`. */
  planNext?(node: RecipeNode): Next;
  /** How the nodes inside this node run. Undefined when the node has none. */
  planRegion?(node: RecipeNode, flows: ReadonlyMap<string, Flow>): BodyPlan | undefined;
};

export type FieldSchema = { label: string; keys: readonly string[]; schema: Readonly<Record<string, unknown>> };

/** `backdoor`: changes state in a way that no user of the app can. */
export type Effect = 'none' | 'reads' | 'user' | 'backdoor';

export function effectOf({ effect }: Declaration, node: RecipeNode): Effect {
  return typeof effect === 'function' ? effect(node) : effect;
}

const noFixtures: readonly string[] = [];

export function needsOf({ needs = noFixtures }: Declaration, node: RecipeNode): readonly string[] {
  return typeof needs === 'function' ? needs(node) : needs;
}

export function optionalNeedsOf({ optionalNeeds = noFixtures }: Declaration, node: RecipeNode): readonly string[] {
  return typeof optionalNeeds === 'function' ? optionalNeeds(node) : optionalNeeds;
}

export function evaluatesAssert({ asserts = false }: Declaration, node: RecipeNode): boolean {
  return typeof asserts === 'function' ? asserts(node) : asserts;
}

export type Action<S extends z.ZodType = z.ZodType> = Declaration<S> & {
  /** Names the part of the node that this version does not support. Completes the sentence "ui.press cannot run here: …". */
  describeUnsupported?(node: RecipeNode): string | undefined;
  /** An action with inner nodes runs after they have ended. */
  run(fields: z.output<S>, context: ActionContext): ActionResult | Promise<ActionResult>;
};

export type ActionResult = {
  output?: unknown;
  /** A shorter output for the journal. Later nodes still read the whole `output`. */
  recorded?: unknown;
  streams?: { stdout: CapturedOutput; stderr: CapturedOutput };
  artifacts?: readonly Capture[];
  /** Errors and warnings that the action found in a log or console. */
  issues?: readonly UnexpectedLog[];
  asserts?: readonly Assert[];
  /** The branch to take, for an action that chooses between cases. */
  case?: string;
  /** Why the action failed. Unlike with a thrown error, the journal still gets the output. */
  failure?: RecipeError;
  /** The failure came after the work was done. The run then neither retries the node nor tolerates the failure. */
  final?: true;
};

export type ActionContext = {
  node: RecipeNode;
  path: string;
  signal: AbortSignal;
  clock: Clock;
  /** The time until the timeout of the node. */
  remainingMs(): number;
  fixtures: Readonly<Record<string, unknown>>;
  projectRoot: string;
  /** Unique for each run. */
  runId: string;
  /** Environment variables that child processes receive in addition to the common ones. */
  passEnv: readonly string[];
  /** The base URL of the run. Paths of requests are relative to it. */
  baseURL?: string | undefined;
  /** The hosts that requests may be sent to, in addition to the host of the base URL. `true` admits every host. */
  allowHosts?: true | readonly string[] | undefined;
  /** The services that nodes of the run have started. */
  services: RunServices;
  /** The output of an earlier node in the same scope. */
  outputOf(nodeId: string): PathResult;
  /** Reads a value of the run. `source`: the id of an earlier node, `inputs`, `params`, `saved` or `item`. */
  read(source: string, keys: readonly string[]): PathResult;
  /** Reads a param of the flow, or an input of the recipe. */
  param(name: string): PathResult;
  /** Evaluates an assertion on the values of the run, or on `values`. */
  evaluate(assertion: Assertion, values?: Pick<AssertionValues, 'find' | 'param'>): Evaluation;
  inputs: Readonly<Record<string, unknown>>;
  call: Call;
  /** Whether a value contains a secret of the run. Such a value must not appear in a title, call or message. */
  isSecret(value: unknown): boolean;
  /** Opens a masker that masks the secrets of the run in a stream of bytes. Undefined when the run has no secrets. */
  openMasker?: (() => StreamMasker) | undefined;
  /** Receives the output of processes as they write it. */
  output?: OutputListener | undefined;
  /** A project file as it was at the start of the run, or of the node when the path was not known before. */
  fileAtStart(path: string): { file: FileBaseline; since: 'run' | 'node' };
  /** Asks a person. */
  ask: AskPerson;
  flows: ReadonlyMap<string, Flow>;
  /** The output that a group pipes into this node. */
  stdin?: CapturedOutput | undefined;
  /** The results of the inner nodes. */
  body?: BodyResult | undefined;
};

export type ManualQuestion = { id: string; path: string; instruction: string; signal: AbortSignal };

/** `by`: the source of the answer, such as a terminal or a command-line option. */
export type ManualAnswer = { answer: 'pass' | 'fail'; by: string; note?: string };

/** Resolves to undefined when the question is not answered. */
export type AskPerson = (question: ManualQuestion) => Promise<ManualAnswer | undefined>;

export type BodyResult = {
  status: Status;
  outputs: ReadonlyMap<string, unknown>;
  /** For `rw.each`: the output for each item, in the order of the items. */
  items: readonly unknown[];
  /** The output of the last node that ran, without `end` nodes. */
  last: unknown;
  /** The output that each successful node passes on, by node id, or by item number for `rw.each`. */
  streams: ReadonlyMap<string | number, CapturedOutput>;
};

export function defineAction<S extends z.ZodType>(action: Action<S>): Action {
  return action as unknown as Action;
}
