// The canonical recipe every dialect compiles to: Recipe v1 with its fields in our spelling and lookups by Map.
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
  params: Readonly<globalThis.Record<string, unknown>>;
  required: boolean;
  pointer: string;
};

export type Flow = {
  id: string;
  /** Where it stands in the recipe that runs. */
  pointer: string;
  /** Of the graph: flows may write `entry` and `nodes` with or without `workflow` around them. */
  graphPointer: string;
  entry: string;
  nodes: ReadonlyMap<string, RecipeNode>;
  version?: number | string;
  description?: string;
  paramsSchema?: Readonly<globalThis.Record<string, unknown>>;
  outputsSchema?: Readonly<globalThis.Record<string, unknown>>;
  defaultPhase?: Phase;
  defaultRecord?: RecordPolicy;
  requiresActions?: readonly string[];
  postcondition?: Assertion;
  /** It was made from a recipe of a library. */
  fromRecipe?: true;
  /** The catalog it comes from, as written in `uses`. */
  catalog?: string;
};

/** The part of a recipe that a node belongs to. */
export type Section = 'preConditions' | 'setup' | 'startState' | 'graph' | 'teardown' | 'flow';

export type RecipeNode = {
  id: string;
  /** Its position in the recipe that runs; `CompiledRecipe.origin` maps it to the place in the source. */
  pointer: string;
  section: Section;
  action: string;
  intent?: string | undefined;
  description?: string | undefined;
  next?: string | undefined;
  cases?: readonly Case[] | undefined;
  fallback?: string | undefined;
  /** Where to go on by the case its action gives, for actions other than `switch`. */
  routes?: ReadonlyMap<string, string> | undefined;
  status?: Status | undefined;
  when?: Assertion | undefined;
  unless?: Assertion | undefined;
  assert?: Assertion | undefined;
  phase?: Phase | undefined;
  record?: RecordPolicy | undefined;
  proofTarget?: string | undefined;
  /** All claims it serves, when it serves more than one. */
  proves?: readonly string[] | undefined;
  timeoutMs?: number | undefined;
  saveAs?: string | undefined;
  /** note: what follows runs on, and the recipe has failed all the same. */
  onFail: 'stop' | 'continue' | 'abort' | 'note';
  retry?: { max: number; recover?: RecipeNode } | undefined;
  /** Its texts may hold references to outputs of former nodes. */
  templates?: 'outputs' | undefined;
  /** Fields filled at run time from values of the run. */
  bindings: ReadonlyMap<string, Reference>;
  /** Children written inline, for actions that open a region of their own. */
  body?: Body | undefined;
  /** What the action itself declares, as authored. */
  fields: Readonly<globalThis.Record<string, unknown>>;
};

export type Case = { when: Assertion; next: string };

export type Reference = { source: string; path?: string | undefined };

export type Body = { entry?: string; nodes: ReadonlyMap<string, RecipeNode>; edges: readonly BodyEdge[] };

/** `intent`: its condition in words, where those of `when` would tell nothing. */
export type BodyEdge = { from: string; to: string; when?: Assertion; intent?: string };

export type CompiledRecipe = {
  /** A catalog has flows and nothing to run by itself. */
  kind: 'recipe' | 'catalog';
  recipe: Recipe;
  /** Where a pointer of the recipe that runs was written. */
  origin(pointer: string, part?: 'key' | 'value'): Place;
  /** What a pointer of the recipe that runs was in the document its author wrote, when that is another one. */
  authored?(pointer: string): string;
  findings: Finding[];
  /** Other documents that it is made of, where it does not name them itself as catalogs. */
  sourceFiles?: readonly string[];
  /** What its own format finds wrong with the values of its inputs. */
  checkInputs?(values: Readonly<globalThis.Record<string, unknown>>): Finding[];
  /** Its format has a reference that judges softer than we do; both verdicts are told. */
  hasReferenceVerdict?: boolean;
  /** No text of it refers to a value, so nobody has to look for references. */
  isLiteral?: boolean;
  /** Ill-formed parts that were left out of the recipe; the rules say nothing about them. */
  removedPointers: readonly string[];
  /** The ids of all flows it could call, those it does not call among them. */
  availableFlows: readonly string[];
};

/** Gives a document that another one names, or what is wrong with it; `file` when there is one that holds no document. Dialects do no I/O of their own. */
export type ResolveDocument = (ref: string, from: string) => { document?: Document; problem?: string; file?: string };

export type Dialect = {
  name: string;
  detect(document: Document): boolean;
  compile(document: Document, resolve: ResolveDocument): { compiled?: CompiledRecipe; findings: Finding[] };
};
export type Status = 'pass' | 'fail' | 'unknown';
export type Atomic = { operator?: string; source?: string; path?: string; value?: unknown; param?: string };
export type Assertion = Atomic | { all: Assertion[] } | { any: Assertion[] } | { none: Assertion[] };
