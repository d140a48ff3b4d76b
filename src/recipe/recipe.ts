// The canonical recipe that every dialect compiles to: Recipe v1, with camelCase fields and Maps for lookups by name.

import type { Finding, Place } from '../document/finding.js';
import type { Document } from '../document/readDocument.js';

export type Phase = 'setup' | 'start_state' | 'proof' | 'assert' | 'teardown';
export type RecordPolicy = 'none' | 'trace_only' | 'proof_window' | 'failure_only';

export type Recipe = {
  title?: string | undefined;
  inputs: ReadonlyMap<string, unknown>;
  proofTargets: readonly ProofTarget[];
  preConditions: readonly PreCondition[];
  setup: readonly RecipeNode[];
  startState?: RecipeNode | undefined;
  entry: string;
  nodes: ReadonlyMap<string, RecipeNode>;
  teardown: readonly RecipeNode[];
  flows: ReadonlyMap<string, Flow>;
  /** The Recipe v1 document that runs, with every external flow it uses inlined. */
  json: unknown;
};

export type ProofTarget = { id: string; claim: string; blocked?: string };

export type PreCondition = {
  id: string;
  params: Readonly<Record<string, unknown>>;
  required: boolean;
  pointer: string;
};

export type Flow = {
  id: string;
  /** JSON pointer of the flow in the recipe that runs. */
  pointer: string;
  /** JSON pointer of its graph: a flow may write `entry` and `nodes` with or without a `workflow` around them. */
  graphPointer: string;
  entry: string;
  nodes: ReadonlyMap<string, RecipeNode>;
  version?: number | string;
  description?: string;
  paramsSchema?: Readonly<Record<string, unknown>>;
  outputsSchema?: Readonly<Record<string, unknown>>;
  defaultPhase?: Phase;
  defaultRecord?: RecordPolicy;
  requiresActions?: readonly string[];
  postcondition?: Assertion;
  /** The flow is a recipe of a library. */
  fromRecipe?: true;
  /** The catalog it comes from, as written in `uses`. */
  catalog?: string;
};

/** The part of a recipe that a node belongs to. */
export type Section = 'preConditions' | 'setup' | 'startState' | 'graph' | 'teardown' | 'flow';

export type RecipeNode = {
  id: string;
  /** JSON pointer of the node in the recipe that runs. `CompiledRecipe.origin` finds the place where that was written. */
  pointer: string;
  section: Section;
  action: string;
  intent?: string | undefined;
  description?: string | undefined;
  next?: string | undefined;
  cases?: readonly Case[] | undefined;
  fallback?: string | undefined;
  /** The next node for each case that the action reports, for actions other than `switch`. */
  routes?: ReadonlyMap<string, string> | undefined;
  status?: Status | undefined;
  when?: Assertion | undefined;
  unless?: Assertion | undefined;
  assert?: Assertion | undefined;
  phase?: Phase | undefined;
  record?: RecordPolicy | undefined;
  proofTarget?: string | undefined;
  /** All proof targets of the node, when it has more than one. */
  proves?: readonly string[] | undefined;
  timeoutMs?: number | undefined;
  saveAs?: string | undefined;
  /** `note`: the recipe continues, and fails at its end. */
  onFail: 'stop' | 'continue' | 'abort' | 'note';
  retry?: { max: number; recover?: RecipeNode } | undefined;
  /** References in the strings of the node can read the outputs of earlier nodes. */
  templates?: 'outputs' | undefined;
  /** The fields that read their values during the run, by `rw.in`. */
  bindings: ReadonlyMap<string, Reference>;
  /** Inline children, for an action that opens a region. */
  body?: Body | undefined;
  /** The fields that the action itself declares, as written. */
  fields: Readonly<Record<string, unknown>>;
};

export type Case = { when: Assertion; next: string };

export type Reference = { source: string; path?: string | undefined };

export type Body = { entry?: string; nodes: ReadonlyMap<string, RecipeNode>; edges: readonly BodyEdge[] };

/** `intent`: the condition in words, when `when` alone explains nothing. */
export type BodyEdge = { from: string; to: string; when?: Assertion; intent?: string };

export type CompiledRecipe = {
  /** A catalog has only flows and cannot run by itself. */
  kind: 'recipe' | 'catalog';
  recipe: Recipe;
  /** Finds the place where a part of the recipe that runs was written. */
  origin(pointer: string, part?: 'key' | 'value'): Place;
  /** Translates a pointer of the recipe that runs to the author's document, if these are different documents. */
  authored?(pointer: string): string;
  findings: Finding[];
  /** The other documents that were compiled into the recipe, except the catalogs in its `uses`. */
  sourceFiles?: readonly string[];
  /** Checks the values of its inputs by the rules of its format. */
  checkInputs?(values: Readonly<Record<string, unknown>>): Finding[];
  /** The reference runner of the format is less strict, so the package has its verdict too. */
  hasReferenceVerdict?: boolean;
  /** No string of the recipe has a reference, so the run does not search for references. */
  isLiteral?: boolean;
  /** The pointers of malformed parts that are not in the recipe. The rules report nothing about them. */
  removedPointers: readonly string[];
  /** The ids of all flows that the recipe could call. */
  availableFlows: readonly string[];
};

/**
 * Reads a document that another document names, or returns the problem. `file` is set for a file that exists but is not a document.
 * Dialects do no I/O themselves.
 */
export type ResolveDocument = (ref: string, from: string) => { document?: Document; problem?: string; file?: string };

export type Dialect = {
  name: string;
  detect(document: Document): boolean;
  compile(document: Document, resolve: ResolveDocument): { compiled?: CompiledRecipe; findings: Finding[] };
};

export type Status = 'pass' | 'fail' | 'unknown';

export type Atomic = { operator?: string; source?: string; path?: string; value?: unknown; param?: string };
export type Assertion = Atomic | { all: Assertion[] } | { any: Assertion[] } | { none: Assertion[] };
