// Every {{NAME}} that must resolve can be supplied: told before a browser starts, never in the middle of a flow.
import type { FlowSpec } from './model.js';
import type { Report } from './report.js';
import { extractions, isExtractedBefore, type Mention, mentionsIn, namesIn, secretsIn } from './variables.js';

export function checkVariables(report: Report, spec: FlowSpec): void {
  const known = extractions(spec);
  const secrets = secretsIn(spec);
  checkEntry(report, spec, secrets);
  for (const mention of mentionsIn(spec)) {
    const { name, step, mayBeSecret } = mention;
    if (isExtractedBefore(known, name, step)) continue;
    if (secrets.has(name) && known.has(name)) reportConflict(report, mention, known.get(name) ?? 0);
    else if (secrets.has(name) && !mayBeSecret) reportLiteral(report, mention);
    else if (!secrets.has(name)) reportUnknown(report, mention, known.get(name));
  }
}

/** It is opened before any step could extract something. */
function checkEntry(report: Report, { url }: FlowSpec, secrets: ReadonlySet<string>): void {
  for (const name of namesIn(url)) {
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

function reportConflict(report: Report, { name, step, field }: Mention, at: number): void {
  const message = `steps[${step}].${field}: {{${name}}} is a secret here, and steps[${at}] extracts a run variable of the same name`;
  report.refuse({
    code: 'variable_conflict',
    at: ['steps', step, field],
    message,
    hint: 'Give the extracted variable another name.',
  });
}

function reportLiteral(report: Report, { name, step, field }: Mention): void {
  const message = `steps[${step}].${field}: {{${name}}} is a secret and stays as it is written here`;
  report.warn({ code: 'secret_not_resolved', at: ['steps', step, field], message, hint: onlyInValues });
}

function reportUnknown(report: Report, { name, step, field }: Mention, extractedAt: number | undefined): void {
  const later = extractedAt === undefined ? 'no step extracts it' : `steps[${extractedAt}] extracts it only later`;
  const message = `credential_rejected: steps[${step}].${field} refers to {{${name}}}, which the run cannot supply: ${later}`;
  const hint = `Extract it into ${JSON.stringify(name)} in an earlier step. ${onlyInValues}`;
  report.refuse({ code: 'unknown_variable', at: ['steps', step, field], message, hint });
}
