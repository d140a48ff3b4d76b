// Finds and checks {{NAME}} in a flow-spec: a secret in the value of fill and press, or a run variable of an earlier extract.
import type { FlowSpec, Step } from './model.js';
import type { SpecReport } from './specReport.js';

const placeholder = /\{\{\s*([A-Za-z_][A-Za-z0-9_]*)\s*\}\}/g;

/** A string in a field of an action: literals, references to secrets, and run variables. */
type TextTemplate = string | readonly TemplatePiece[];
type TemplatePiece = string | { variable: string };

type VariableMention = { name: string; step: number; field: string; mayBeSecret: boolean };

/** Lists the fields whose placeholders are replaced. The pattern of url_matches, target, vendor and event are literal. */
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

/** Returns the names in the values of fill and press that no earlier step extracts. */
export function listSecretNames(spec: FlowSpec): Set<string> {
  const extractions = findExtractions(spec);
  return new Set(
    listMentions(spec)
      .filter(({ name, step, mayBeSecret }) => mayBeSecret && !isExtractedBefore(extractions, name, step))
      .map(({ name }) => name),
  );
}

/** Returns, for each extracted name, the index of the first step that extracts it. */
export function findExtractions({ steps }: FlowSpec): Map<string, number> {
  const extractions = new Map<string, number>();
  for (const [index, step] of steps.entries())
    if (step.type === 'extract' && !extractions.has(step.into)) extractions.set(step.into, index);
  return extractions;
}

export function isExtractedBefore(extractions: ReadonlyMap<string, number>, name: string, step: number): boolean {
  const extractedAt = extractions.get(name);
  return extractedAt !== undefined && extractedAt < step;
}

export type ResolveVariable = (name: string) => 'variable' | 'secret' | 'literal';

/**
 * Converts a string to a template. Splits literal double braces into two parts, so that Recipe v1 does not read them as a
 * reference.
 */
export function toTemplate(text: string, resolve: ResolveVariable): TextTemplate {
  const pieces: TemplatePiece[] = [];
  let end = 0;
  for (const match of text.matchAll(placeholder)) {
    const [mention, name = ''] = match;
    const kind = resolve(name);
    if (kind === 'literal') continue;
    addLiteral(pieces, text.slice(end, match.index));
    pieces.push(kind === 'secret' ? `{{inputs.${name}}}` : { variable: name });
    end = match.index + mention.length;
  }
  addLiteral(pieces, text.slice(end));
  const [only = ''] = pieces;
  return pieces.length < 2 && typeof only === 'string' ? only : pieces;
}

export function toLiteralTemplate(text: string): TextTemplate {
  return toTemplate(text, () => 'literal');
}

function addLiteral(pieces: TemplatePiece[], text: string): void {
  if (text === '') return;
  pieces.push(...text.split(/(?<=\{)(?=\{)/));
}

/** Reports, before a browser starts, every {{NAME}} that the run cannot supply. */
export function checkVariables(report: SpecReport, spec: FlowSpec): void {
  const extractions = findExtractions(spec);
  const secrets = listSecretNames(spec);
  checkEntryUrl(report, spec, secrets);
  for (const mention of listMentions(spec)) {
    const { name, step, mayBeSecret } = mention;
    if (isExtractedBefore(extractions, name, step)) continue;
    if (secrets.has(name) && extractions.has(name)) reportConflict(report, mention, extractions.get(name) ?? 0);
    else if (secrets.has(name) && !mayBeSecret) reportUnfilledSecret(report, mention);
    else if (!secrets.has(name)) reportUnknown(report, mention, extractions.get(name));
  }
}

/** Reports variables in the entry URL, which is opened before any step can extract a value. */
function checkEntryUrl(report: SpecReport, { url }: FlowSpec, secrets: ReadonlySet<string>): void {
  for (const name of listVariableNames(url)) {
    if (secrets.has(name)) {
      const message = `url: {{${name}}} is a secret and is not replaced here`;
      report.warn({ code: 'secret_not_resolved', at: ['url'], message, hint: onlyInValues });
      continue;
    }
    const message = `credential_rejected: url refers to {{${name}}}, which the run cannot supply: no step comes before it`;
    report.refuse({ code: 'unknown_variable', at: ['url'], message, hint: 'Write the URL without a variable.' });
  }
}

const onlyInValues = 'Secrets are only replaced in the value of fill and press.';

function reportConflict(report: SpecReport, { name, step, field }: VariableMention, extractedAt: number): void {
  const message = `steps[${step}].${field}: {{${name}}} is a secret here, but steps[${extractedAt}] extracts a run variable of the same name`;
  report.refuse({
    code: 'variable_conflict',
    at: ['steps', step, field],
    message,
    hint: 'Give the extracted variable another name.',
  });
}

function reportUnfilledSecret(report: SpecReport, { name, step, field }: VariableMention): void {
  const message = `steps[${step}].${field}: {{${name}}} is a secret and is not replaced here`;
  report.warn({ code: 'secret_not_resolved', at: ['steps', step, field], message, hint: onlyInValues });
}

function reportUnknown(report: SpecReport, { name, step, field }: VariableMention, extractedAt: number | undefined): void {
  const reason = extractedAt === undefined ? 'no step extracts it' : `steps[${extractedAt}] extracts it later`;
  const message = `credential_rejected: steps[${step}].${field} refers to {{${name}}}, which the run cannot supply: ${reason}`;
  const hint = `Extract it into ${JSON.stringify(name)} in an earlier step. ${onlyInValues}`;
  report.refuse({ code: 'unknown_variable', at: ['steps', step, field], message, hint });
}
