// Checks whether recipes can run in a project, and says how to fix each problem (Runner Protocol, readiness hook).
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
  /** The file of a recipe. Without a recipe, the doctor examines only the project and the machine. */
  recipe?: string | undefined;
  setup?: string | undefined;
  projectRoot?: string | undefined;
  libraries?: ReadonlyMap<string, string>;
  env?: Readonly<Record<string, string | undefined>>;
  cwd?: string;
  /** Starts a browser to find out whether it can record videos. */
  triesVideo?: boolean;
};

export type DoctorResult = Omit<DoctorReport, 'checks'> & { checks: Check[] };

export async function examineProject(options: ExamineOptions): Promise<DoctorResult> {
  const { recipe, env = process.env, cwd = process.cwd() } = options;
  const home = options.projectRoot ?? findProjectRoot(recipe ?? join(cwd, 'recipe'));
  const { config, setup, checks: harness } = await examineHarness({ home, setup: options.setup });
  const projectRoot = options.projectRoot ?? config.root ?? home;
  const libraries = new Map([...Object.entries(config.libraries ?? {}), ...(options.libraries ?? [])]);
  const python = isPythonOn(config) ? pythonProgram(config) : undefined;
  const { tools, checks: toolChecks } = examineTools(projectRoot, { python });
  const examined = recipe === undefined ? undefined : loadExaminedRecipe({ file: recipe, projectRoot, config, setup, libraries });
  const { checks: secrets, mask } = examined ? examineSecrets(examined, env) : skipSecrets();
  const isHarnessValid = harness.every(({ status }) => status !== 'fail');
  const video = options.triesVideo && tools.hasPlaywright ? [await examineVideo(projectRoot, tools)] : [];
  const checks = [
    ...[...toolChecks, ...video, ...harness],
    ...(examined && isHarnessValid ? examineRuntime(examined, tools, env) : [skipRecipe(recipe)]),
    ...[examineLibraries(libraries), ...(examined ? examineUses(examined) : [])],
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
