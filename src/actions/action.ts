// What an action is: its fields, its facts, and what it does. Rules, engine and hosts ask the facts, never the name.
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
import type { CapturedOutput, OutputListener, Redactor } from '../system/processes/runProcess.js';
import type { RunServices } from './service/runServices.js';

/** What is known of an action without being able to execute it. */
export type Declaration<S extends z.ZodType = z.ZodType> = {
  name: string;
  description: string;
  /** Fields of its own at the node's top level; those of the protocol are not among them. */
  schema: S;
  examples: readonly { description: string; node: Readonly<Record<string, unknown>> }[];
  effect: Effect | ((node: RecipeNode) => Effect);
  /** Running it evaluates an assertion. */
  asserts?: boolean | ((node: RecipeNode) => boolean);
  /** It reads the node's `assert` itself, over something else than its own output. */
  readsAssert?: boolean;
  /** It can find the product at fault. */
  fallible?(fields: z.output<S>, flows: ReadonlyMap<string, Flow>): boolean;
  captures?: boolean;
  /** How long it may take when its node does not say. */
  timeoutMs?: number | ((node: RecipeNode) => number | undefined);
  /** How long it may take to stop when it is told to; then it is given up. */
  stopMs?: number;
  /** Fixtures it asks the host for. */
  needs?: readonly string[] | ((node: RecipeNode) => readonly string[]);
  /** The debugging port of an app is enough for it; of a page it asks what src/browser/bare offers. */
  worksOverCdpPort?: boolean;
  /** Fixtures it takes from a host that has them, and does without elsewhere. */
  optionalNeeds?: readonly string[] | ((node: RecipeNode) => readonly string[]);
  /** Programs that it starts and its node does not name itself. */
  programs?(node: RecipeNode): readonly string[];
  /** The file whose growth it looks at: its size is noted when the run begins. */
  watchedFile?(node: RecipeNode): string | undefined;
  /** No author writes it: the plan does. */
  internal?: boolean;
  /** What the node must also say, in words; its fields by themselves are right. */
  describeMissing?(node: RecipeNode): string | undefined;
  /** JSON Schemas in its fields, with the keys they stand at and what they are called. */
  schemas?(node: RecipeNode): readonly FieldSchema[];
  /** Fields that hold a regular expression to be found. */
  patternFields?: readonly string[];
  /** Fields that name a former node whose output it reads. */
  sourceFields?: readonly string[];
  /** Codes of the protocol for what can be wrong with a field, where it has them. */
  fieldCodes?: Readonly<Record<string, { missing: string; invalid: string }>>;
  secretFields?: readonly string[];
  /** It reaches the product without the page, and so could itself produce what the page has to show. */
  bypassesPage?: boolean;
  /** Fields that hold texts, in lists or by name: a number that is filled in is written out. */
  textFields?: readonly string[];
  /** For actions that start a process by `argv`, `env` and `stdin`: fields whose text a shell reads; values reach it through `env`, never as text. */
  shellFields?: readonly string[];
  /** What the package keeps, by name, of a run that was refused before it began; undefined when that says nothing of its own. */
  documentRefusal?(node: RecipeNode, why: { code: string; message: string }): ReadonlyMap<string, string> | undefined;
  /** Where a walk goes after it, when that is not simply `next`. */
  planNext?(node: RecipeNode): Next;
  /** The region its children form. */
  planRegion?(node: RecipeNode, flows: ReadonlyMap<string, Flow>): BodyPlan | undefined;
};

export type FieldSchema = { label: string; keys: readonly string[]; schema: Readonly<Record<string, unknown>> };

/** backdoor = changes state behind the user's back */
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
  /** What the node asks for and this version cannot do yet. */
  describeUnsupported?(node: RecipeNode): string | undefined;
  /** Leaves perform; an action that opens a region concludes after it. */
  run(fields: z.output<S>, context: ActionContext): ActionResult | Promise<ActionResult>;
};

export type ActionResult = {
  output?: unknown;
  /** What the journal keeps instead, when the output is too long for it; later nodes still read all of the output. */
  recorded?: unknown;
  streams?: { stdout: CapturedOutput; stderr: CapturedOutput };
  artifacts?: readonly Capture[];
  /** What it noticed beside its work: lines of a log, messages of a console. */
  issues?: readonly UnexpectedLog[];
  asserts?: readonly Assert[];
  /** The branch to take, for actions that lead to cases. */
  case?: string;
  /** It did not do what was asked; what it saw is in the output. */
  failure?: RecipeError;
  /** What was asked is done, and only what comes after it failed: it is neither done again nor tolerated. */
  final?: true;
};

export type ActionContext = {
  node: RecipeNode;
  path: string;
  signal: AbortSignal;
  clock: Clock;
  /** What is left until the node's deadline. */
  remainingMs(): number;
  fixtures: Readonly<Record<string, unknown>>;
  projectRoot: string;
  /** Names the run; no other run has it. */
  runId: string;
  /** Names of the environment that child processes may see besides the usual ones. */
  passEnv: readonly string[];
  /** The base URL of the run, which paths of requests are relative to. */
  baseURL?: string | undefined;
  /** Hosts that requests may be sent to, besides that of the base URL; true for every host. */
  allowHosts?: true | readonly string[] | undefined;
  /** The services that nodes of the run have started. */
  services: RunServices;
  /** The output of a former node, as that node's neighbours see it. */
  outputOf(nodeId: string): PathResult;
  /** A value of the run: the output of a former node, or of `inputs`, `params`, `saved`, `item`. */
  read(source: string, keys: readonly string[]): PathResult;
  /** The param of the flow, or the input, of this name. */
  param(name: string): PathResult;
  /** Over what is known before the node, or over what the action itself looks at. */
  evaluate(assertion: Assertion, over?: Pick<AssertionValues, 'find' | 'param'>): Evaluation;
  inputs: Readonly<Record<string, unknown>>;
  call: Call;
  /** Whether a value holds a secret of the run, and so may stand in no title, call or message. */
  isSecret(value: unknown): boolean;
  /** Takes the secrets of the run out of a stream of bytes; undefined when it has none. */
  redact?: (() => Redactor) | undefined;
  /** Hears of what processes write as they write it. */
  output?: OutputListener | undefined;
  /** A file of the project as it was when the run began; or as it is now, when its path was not known then. */
  fileAtStart(path: string): { file: FileBaseline; since: 'run' | 'node' };
  /** Puts a question to a person; undefined when there is nobody. */
  ask: AskPerson;
  flows: ReadonlyMap<string, Flow>;
  /** What is piped in. */
  stdin?: CapturedOutput | undefined;
  /** How the region went that the action opened. */
  body?: BodyResult | undefined;
};

export type ManualQuestion = { id: string; path: string; instruction: string; signal: AbortSignal };

/** `by`: where the answer came from. */
export type ManualAnswer = { answer: 'pass' | 'fail'; by: string; note?: string };

export type AskPerson = (question: ManualQuestion) => Promise<ManualAnswer | undefined>;

export type BodyResult = {
  status: Status;
  outputs: ReadonlyMap<string, unknown>;
  /** The outputs of an `each`, one per item, in order. */
  items: readonly unknown[];
  /** The output of the last node that ran and was no end. */
  last: unknown;
  /** What its nodes wrote and handed on, by id, or by number for the items of an `each`. */
  streams: ReadonlyMap<string | number, CapturedOutput>;
};

export function defineAction<S extends z.ZodType>(action: Action<S>): Action {
  return action as unknown as Action;
}
