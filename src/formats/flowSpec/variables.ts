// {{NAME}} in a flow-spec: a secret in the value of fill and press, a run variable of an earlier extract anywhere a string appears.
import type { FlowSpec, Step } from './model.js';
import type { SpecReport } from './specReport.js';

const placeholder = /\{\{\s*([A-Za-z_][A-Za-z0-9_]*)\s*\}\}/g;

/** A text as the actions of flow-specs take it: literal pieces, references to secrets, and run variables. */
type TextTemplate = string | readonly TemplatePiece[];
type TemplatePiece = string | { variable: string };

type VariableMention = { name: string; step: number; field: string; mayBeSecret: boolean };

/** Fields whose placeholders are filled in. The pattern of url_matches is a literal; target, vendor and event are words. */
export function listTemplateFields(step: Step): [field: string, text: string][] {
  const fields: [string, string | undefined][] = [
    ['url', step.type === 'goto' ? step.url : undefined],
    ['selector', 'selector' in step ? step.selector : undefined],
    ['for', step.type === 'wait' ? step.for : undefined],
    ['value', 'value' in step && !(step.type === 'expect' && step.kind === 'url_matches') ? step.value : undefined],
  ];
  return fields.filter((pair): pair is [string, string] => pair[1] !== undefined);
}

export function listMentions({ steps }: FlowSpec): VariableMention[] {
  return steps.flatMap((step, index) =>
    listTemplateFields(step).flatMap(([field, text]) => {
      const mayBeSecret = step.type === 'act' && field === 'value';
      return listVariableNames(text).map((name) => ({ name, step: index, field, mayBeSecret }));
    }),
  );
}

export function listVariableNames(text: string): string[] {
  return [...new Set([...text.matchAll(placeholder)].map(([, name = '']) => name))];
}

/** The names of secrets: what fill and press values ask for and no earlier step extracts. */
export function listSecretNames(spec: FlowSpec): Set<string> {
  const known = findExtractions(spec);
  return new Set(
    listMentions(spec)
      .filter(({ name, step, mayBeSecret }) => mayBeSecret && !isExtractedBefore(known, name, step))
      .map(({ name }) => name),
  );
}

/** The first step that extracts each name. */
export function findExtractions({ steps }: FlowSpec): Map<string, number> {
  const found = new Map<string, number>();
  for (const [index, step] of steps.entries()) if (step.type === 'extract' && !found.has(step.into)) found.set(step.into, index);
  return found;
}

export function isExtractedBefore(known: ReadonlyMap<string, number>, name: string, step: number): boolean {
  const at = known.get(name);
  return at !== undefined && at < step;
}

export type ResolveVariable = (name: string) => 'variable' | 'secret' | 'literal';

/** Literal braces are written so that nobody takes them for a reference: in pieces that are put together again. */
export function toTemplate(text: string, resolve: ResolveVariable): TextTemplate {
  const pieces: TemplatePiece[] = [];
  let done = 0;
  for (const match of text.matchAll(placeholder)) {
    const [whole, name = ''] = match;
    const kind = resolve(name);
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
export function toLiteralTemplate(text: string): TextTemplate {
  return toTemplate(text, () => 'literal');
}

function addLiteral(pieces: TemplatePiece[], text: string): void {
  if (text === '') return;
  pieces.push(...text.split(/(?<=\{)(?=\{)/));
}

// Every {{NAME}} that must resolve can be supplied: told before a browser starts, never in the middle of a flow.

export function checkVariables(report: SpecReport, spec: FlowSpec): void {
  const known = findExtractions(spec);
  const secrets = listSecretNames(spec);
  checkEntryUrl(report, spec, secrets);
  for (const mention of listMentions(spec)) {
    const { name, step, mayBeSecret } = mention;
    if (isExtractedBefore(known, name, step)) continue;
    if (secrets.has(name) && known.has(name)) reportConflict(report, mention, known.get(name) ?? 0);
    else if (secrets.has(name) && !mayBeSecret) reportUnfilledSecret(report, mention);
    else if (!secrets.has(name)) reportUnknown(report, mention, known.get(name));
  }
}

/** It is opened before any step could extract something. */
function checkEntryUrl(report: SpecReport, { url }: FlowSpec, secrets: ReadonlySet<string>): void {
  for (const name of listVariableNames(url)) {
    if (secrets.has(name)) {
      const message = `url: {{${name}}} is a secret and stays as it is written here`;
      report.warn({ code: 'secret_not_resolved', at: ['url'], message, hint: onlyInValues });
      continue;
    }
    const message = `credential_rejected: url refers to {{${name}}}, which the run cannot supply: no step comes before it`;
    report.refuse({ code: 'unknown_variable', at: ['url'], message, hint: 'Write the address itself.' });
  }
}

const onlyInValues = 'Secrets are filled in only in the value of fill and press.';

function reportConflict(report: SpecReport, { name, step, field }: VariableMention, at: number): void {
  const message = `steps[${step}].${field}: {{${name}}} is a secret here, and steps[${at}] extracts a run variable of the same name`;
  report.refuse({
    code: 'variable_conflict',
    at: ['steps', step, field],
    message,
    hint: 'Give the extracted variable another name.',
  });
}

function reportUnfilledSecret(report: SpecReport, { name, step, field }: VariableMention): void {
  const message = `steps[${step}].${field}: {{${name}}} is a secret and stays as it is written here`;
  report.warn({ code: 'secret_not_resolved', at: ['steps', step, field], message, hint: onlyInValues });
}

function reportUnknown(report: SpecReport, { name, step, field }: VariableMention, extractedAt: number | undefined): void {
  const later = extractedAt === undefined ? 'no step extracts it' : `steps[${extractedAt}] extracts it only later`;
  const message = `credential_rejected: steps[${step}].${field} refers to {{${name}}}, which the run cannot supply: ${later}`;
  const hint = `Extract it into ${JSON.stringify(name)} in an earlier step. ${onlyInValues}`;
  report.refuse({ code: 'unknown_variable', at: ['steps', step, field], message, hint });
}
