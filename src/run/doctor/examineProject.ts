// Whether recipes can run here, and if not, what to do about it (Runner Protocol, readiness hook).
import { join } from 'node:path';
import { isPythonOn, pythonProgram } from '../../formats/runtime/actions/projectHandlers.js';
import { type DoctorReport, doctorReportModel } from '../../registry/doctorReport.js';
import { findProjectRoot } from '../../system/project.js';
import type { Check } from './doctorCheck.js';
import { loadExaminedRecipe } from './examinedRecipe.js';
import { examineLibraries, examineUses } from './fixtures.js';
import { examineHarness } from './harness.js';
import { examineIsolation } from './isolation.js';
import { examineRuntime, skipRecipe } from './runtime.js';
import { examineSecrets, skipSecrets } from './secrets.js';
import { examineTools, examineVideo } from './tools.js';

export type ExamineOptions = {
  /** A file; without one, only the project and the machine are looked at. */
  recipe?: string | undefined;
  setup?: string | undefined;
  projectRoot?: string | undefined;
  libraries?: ReadonlyMap<string, string>;
  env?: Readonly<Record<string, string | undefined>>;
  cwd?: string;
  /** Starts a browser to find out whether videos can be recorded. */
  triesVideo?: boolean;
};

export type DoctorResult = Omit<DoctorReport, 'checks'> & { checks: Check[] };

export async function examineProject(options: ExamineOptions): Promise<DoctorResult> {
  const { recipe, env = process.env, cwd = process.cwd() } = options;
  const home = options.projectRoot ?? findProjectRoot(recipe ?? join(cwd, 'recipe'));
  const { config, setup, checks: harness } = await examineHarness({ home, setup: options.setup });
  const projectRoot = options.projectRoot ?? config.root ?? home;
  const libraries = new Map([...Object.entries(config.libraries ?? {}), ...(options.libraries ?? [])]);
  const { tools, checks: found } = examineTools(projectRoot, { python: isPythonOn(config) ? pythonProgram(config) : undefined });
  const subject = recipe === undefined ? undefined : loadExaminedRecipe({ file: recipe, projectRoot, config, setup, libraries });
  const { checks: secrets, mask } = subject ? examineSecrets(subject, env) : skipSecrets();
  const isEquipped = harness.every(({ status }) => status !== 'fail');
  const video = options.triesVideo && tools.playwright ? [await examineVideo(projectRoot, tools)] : [];
  const checks = [
    ...[...found, ...video, ...harness],
    ...(subject && isEquipped ? examineRuntime(subject, tools, env) : [skipRecipe(recipe)]),
    ...[examineLibraries(libraries), ...(subject ? examineUses(subject) : [])],
    ...[...examineIsolation(projectRoot), ...secrets],
  ];
  return toDoctorResult(checks.map((check) => ({ ...check, message: mask(check.message) })));
}

function toDoctorResult(checks: Check[]): DoctorResult {
  const result = { runner_protocol_version: 1 as const, status: statusOf(checks), checks };
  doctorReportModel.parse(result);
  return result;
}

function statusOf(checks: readonly Check[]): 'pass' | 'fail' {
  return checks.some(({ status }) => status === 'fail') ? 'fail' : 'pass';
}
