// Compiles flow-spec v1: browser flows of at most thirty steps, with deterministic expects and graded assertions.
import { hasErrors } from '../../document/finding.js';
import type { Document } from '../../document/readDocument.js';
import type { Dialect } from '../../recipe/recipe.js';
import { compileClassic } from '../classic/compile.js';
import { Origins } from '../modern/origins.js';
import { isCredentialRejection } from './failureClass.js';
import { checkFieldRules } from './fieldRules.js';
import { type FlowSpec, flowSpecModel } from './model.js';
import { reportSchemaIssues, SpecReport } from './specReport.js';
import { toClassic } from './toClassic.js';
import { checkVariables } from './variables.js';

/** `vendors` are the names of the vendors that the project adds. */
export function flowSpecDialect(vendors: readonly string[] = []): Dialect {
  return {
    name: 'flow-spec-v1',
    detect: ({ value }) => looksLikeFlowSpec(value),
    compile(document, resolve) {
      const { spec, report } = readFlowSpec(document, vendors);
      if (!spec) return { findings: report.findings };
      const origins = new Origins({ document, keys: [] });
      origins.recordSource(['title'], { document, keys: ['name'] }, { json: {}, moved: [] });
      const json = toClassic({ spec, document, origins });
      const classic = compileClassic(json, { origin: origins.place, file: document.file }, resolve);
      const findings = [...report.findings, ...classic.findings];
      if (!classic.compiled) return { findings };
      return { compiled: { ...classic.compiled, authored: origins.authored, findings }, findings };
    },
  };
}

/** Returns no `spec` when the document has errors. Missing credentials do not count: they fail the run instead. */
function readFlowSpec(document: Document, vendors: readonly string[] = []): { spec?: FlowSpec; report: SpecReport } {
  const report = new SpecReport(document);
  const parsed = flowSpecModel.safeParse(document.value);
  if (!parsed.success) {
    reportSchemaIssues(report, parsed.error.issues);
    return { report };
  }
  checkFieldRules(report, parsed.data, vendors);
  checkVariables(report, parsed.data);
  const { findings } = report;
  return hasErrors(findings) && !isCredentialRejection(findings) ? { report } : { spec: parsed.data, report };
}

/** Whether the document has `spec_version`, or `url` and `steps`, so that a missing version is reported. */
function looksLikeFlowSpec(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (Object.hasOwn(value, 'spec_version')) return true;
  const { url, steps } = value as { url?: unknown; steps?: unknown };
  const isOtherFormat = ['validate', 'workflow', 'topology', 'flows'].some((key) => Object.hasOwn(value, key));
  return typeof url === 'string' && Array.isArray(steps) && !isOtherFormat;
}
