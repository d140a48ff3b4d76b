// {{NAME}} in a flow-spec: a secret in the value of fill and press, a run variable of an earlier extract anywhere a string appears.
import type { FlowSpec, Step } from './model.js';

const placeholder = /\{\{\s*([A-Za-z_][A-Za-z0-9_]*)\s*\}\}/g;

/** A text as the actions of flow-specs take it: literal pieces, references to secrets, and run variables. */
export type Written = string | readonly Piece[];
export type Piece = string | { variable: string };

export type Mention = { name: string; step: number; field: string; mayBeSecret: boolean };

/** Fields whose placeholders are filled in. The pattern of url_matches is a literal; target, vendor and event are words. */
export function fieldsOf(step: Step): [field: string, text: string][] {
  const given: [string, string | undefined][] = [
    ['url', step.type === 'goto' ? step.url : undefined],
    ['selector', 'selector' in step ? step.selector : undefined],
    ['for', step.type === 'wait' ? step.for : undefined],
    ['value', 'value' in step && !(step.type === 'expect' && step.kind === 'url_matches') ? step.value : undefined],
  ];
  return given.filter((pair): pair is [string, string] => pair[1] !== undefined);
}

export function mentionsIn({ steps }: FlowSpec): Mention[] {
  return steps.flatMap((step, index) =>
    fieldsOf(step).flatMap(([field, text]) => {
      const mayBeSecret = step.type === 'act' && field === 'value';
      return namesIn(text).map((name) => ({ name, step: index, field, mayBeSecret }));
    }),
  );
}

export function namesIn(text: string): string[] {
  return [...new Set([...text.matchAll(placeholder)].map(([, name = '']) => name))];
}

/** The names of secrets: what fill and press values ask for and no earlier step extracts. */
export function secretsIn(spec: FlowSpec): Set<string> {
  const known = extractions(spec);
  return new Set(
    mentionsIn(spec)
      .filter(({ name, step, mayBeSecret }) => mayBeSecret && !isExtractedBefore(known, name, step))
      .map(({ name }) => name),
  );
}

/** The first step that extracts each name. */
export function extractions({ steps }: FlowSpec): Map<string, number> {
  const found = new Map<string, number>();
  for (const [index, step] of steps.entries()) if (step.type === 'extract' && !found.has(step.into)) found.set(step.into, index);
  return found;
}

export function isExtractedBefore(known: ReadonlyMap<string, number>, name: string, step: number): boolean {
  const at = known.get(name);
  return at !== undefined && at < step;
}

export type Resolved = (name: string) => 'variable' | 'secret' | 'literal';

/** Literal braces are written so that nobody takes them for a reference: in pieces that are put together again. */
export function write(text: string, resolved: Resolved): Written {
  const pieces: Piece[] = [];
  let done = 0;
  for (const match of text.matchAll(placeholder)) {
    const [whole, name = ''] = match;
    const kind = resolved(name);
    if (kind === 'literal') continue;
    addLiteral(pieces, text.slice(done, match.index));
    pieces.push(kind === 'secret' ? `{{inputs.${name}}}` : { variable: name });
    done = match.index + whole.length;
  }
  addLiteral(pieces, text.slice(done));
  const [only = ''] = pieces;
  return pieces.length < 2 && typeof only === 'string' ? only : pieces;
}

/** Text that refers to nothing. */
export function writeLiteral(text: string): Written {
  return write(text, () => 'literal');
}

function addLiteral(pieces: Piece[], text: string): void {
  if (text === '') return;
  pieces.push(...text.split(/(?<=\{)(?=\{)/));
}
