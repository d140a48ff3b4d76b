// Checks the rules between fields of a flow-spec. The messages follow those of the format's own validator.

import type { FlowSpec, Step, StepOf } from './model.js';
import { explainNotAdmitted, isAdmitted, isBareHost, listAdmittedHosts } from './network/admittedHosts.js';
import { readPattern } from './readPattern.js';
import { explainInvalidSelector, isXPath } from './selectors.js';
import { formatPath, type SpecReport } from './specReport.js';
import { listVariableNames } from './variables.js';
import { vendors } from './vendors.js';

/** `projectVendors` are the names of the vendors that the project adds. */
export function checkFieldRules(report: SpecReport, spec: FlowSpec, projectVendors: readonly string[] = []): void {
  for (const [index, host] of (spec.allowed_hosts ?? []).entries()) {
    if (isBareHost(host)) continue;
    const message = `allowed_hosts[${index}]: bare hostname only, but it is ${JSON.stringify(host)}`;
    const hint = 'Write only the hostname, without scheme, port, path or wildcard. Its subdomains are included.';
    report.refuse({ code: 'invalid_host', at: ['allowed_hosts', index], message, hint });
  }
  checkUrl(report, spec.url, ['url']);
  for (const [index, step] of spec.steps.entries()) checkStep(report, step, index);
  checkVendors(report, spec, projectVendors);
  for (const [index, step] of spec.steps.entries())
    if (step.type === 'goto') checkGotoHost(report, spec, { url: step.url, index });
}

function checkStep(report: SpecReport, step: Step, index: number): void {
  const at = ['steps', index];
  if (step.type === 'goto') checkUrl(report, step.url, [...at, 'url']);
  if (step.type === 'act') checkAct(report, step, index);
  if (step.type === 'expect') checkExpect(report, step, index);
  if (step.type === 'wait' && (step.ms === undefined) === (step.for === undefined))
    report.refuse({ code: 'invalid_wait', at, message: `steps[${index}]: wait takes exactly one of ms / for` });
  for (const [field, selector] of [
    ['selector', 'selector' in step ? step.selector : undefined],
    ['for', step.type === 'wait' ? step.for : undefined],
  ] as const)
    if (selector !== undefined) checkSelector(report, selector, { index, field });
}

function checkSelector(report: SpecReport, selector: string, { index, field }: { index: number; field: string }): void {
  const at = ['steps', index, field];
  const hint = 'Use CSS, or text=… to find an element by its text.';
  if (isXPath(selector)) {
    const message = `steps[${index}]: XPath selectors are refused, but ${field} is ${JSON.stringify(selector)}`;
    report.refuse({ code: 'xpath_selector', at, message, hint });
    return;
  }
  const reason = explainInvalidSelector(selector);
  if (reason === undefined) return;
  const message = `steps[${index}]: ${field} ${JSON.stringify(selector)} is neither CSS nor text=…: ${reason}`;
  report.refuse({ code: 'invalid_selector', at, message, hint });
}

function checkAct(report: SpecReport, { action, selector, target, value }: StepOf<'act'>, index: number): void {
  const at = ['steps', index];
  const takesValue = action === 'fill' || action === 'press';
  const refuse = (problem: string, key?: string): void => {
    report.refuse({ code: 'invalid_act', at: key === undefined ? at : [...at, key], message: `steps[${index}]: ${problem}` });
  };
  if (selector === undefined && target === undefined) refuse('act needs selector or target');
  if (takesValue && value === undefined) refuse(`value required for ${action}`);
  if (!takesValue && value !== undefined) refuse(`value refused for ${action}`, 'value');
}

function checkExpect(report: SpecReport, step: StepOf<'expect'>, index: number): void {
  const at = ['steps', index, 'value'];
  if (step.kind === 'beacon') return;
  if (step.kind === 'url_matches') {
    const read = readPattern(step.value);
    if ('problem' in read) report.refuse({ code: 'invalid_pattern', at, message: `steps[${index}]: ${read.problem}` });
  }
  if (step.value !== '') return;
  const message = `steps[${index}]: an empty value is found everywhere, so the expect cannot fail`;
  report.warn({ code: 'empty_expectation', at, message, hint: 'Add the expected text.' });
}

function checkUrl(report: SpecReport, url: string, at: readonly (string | number)[]): void {
  if (listVariableNames(url).length > 0 && at.length > 1) return;
  if (URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)) return;
  const message = `${formatPath(at)}: an absolute http or https URL was expected, but it is ${JSON.stringify(url)}`;
  report.refuse({ code: 'invalid_url', at, message, hint: 'Write the URL with https:// and a host.' });
}

function checkGotoHost(report: SpecReport, { url, allowed_hosts }: FlowSpec, goto: { url: string; index: number }): void {
  const hosts = listAdmittedHosts(url, allowed_hosts?.filter(isBareHost));
  if (listVariableNames(goto.url).length > 0 || !URL.canParse(goto.url) || isAdmitted(goto.url, hosts)) return;
  const message = `steps[${goto.index}]: this step will fail with spec_step_unresolvable: ${explainNotAdmitted(goto.url, hosts)}`;
  report.warn({ code: 'host_not_admitted', at: ['steps', goto.index, 'url'], message });
}

function checkVendors(report: SpecReport, { steps, assertions = [] }: FlowSpec, projectVendors: readonly string[]): void {
  const known = [...vendors.map(({ vendor }) => vendor), ...projectVendors];
  const lists = { steps, assertions };
  for (const list of ['steps', 'assertions'] as const)
    for (const [index, item] of lists[list].entries()) {
      if (!('vendor' in item) || known.some((name) => name.toLowerCase() === item.vendor.toLowerCase())) continue;
      const at = [list, index, 'vendor'];
      const message = `${formatPath(at)}: unknown vendor ${JSON.stringify(item.vendor)}, so none of its beacons is recognised`;
      const hint = `Known: ${known.join(', ')}. A project can add vendors with "flowSpecs.vendors" in its config.`;
      report.warn({ code: 'unknown_vendor', at, message, hint });
    }
}
