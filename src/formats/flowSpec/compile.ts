// Flow-spec v1: reviewable browser flows of at most thirty steps, with deterministic expects and graded assertions.
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

/** `vendors`: those of the project itself. */
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

/** The document as the models know it; undefined when anything in it is refused, but for variables that nobody supplies. */
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

/** A version says it; without one, an address and steps do, so that the missing version is told of. */
function looksLikeFlowSpec(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (Object.hasOwn(value, 'spec_version')) return true;
  const { url, steps } = value as { url?: unknown; steps?: unknown };
  const isOther = ['validate', 'workflow', 'topology', 'flows'].some((key) => Object.hasOwn(value, key));
  return typeof url === 'string' && Array.isArray(steps) && !isOther;
}
