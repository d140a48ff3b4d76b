// Capability profiles and doctor reports.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { doctorReportModel } from '../../../src/registry/doctorReport.js';
import { capabilityProfileModel } from '../../../src/registry/manifest/capabilityProfile.js';

const good = (name: string) =>
  JSON.parse(readFileSync(new URL(`../../corpus/good/documents/${name}.json`, import.meta.url), 'utf8'));
const profile = good('capability-profile-v1--shop');
const report = good('doctor-report-v1--fail');
const row = (platforms: unknown): unknown => ({ ...profile, capabilities: [{ capability: 'shop.pay', platforms }] });
const pathsIn = (model: typeof capabilityProfileModel | typeof doctorReportModel, json: unknown): string[] =>
  (model.safeParse(json).error?.issues ?? []).map(({ path }) => path.join('.'));

test('a capability profile and a doctor report are read', () => {
  expect(pathsIn(capabilityProfileModel, profile)).toEqual([]);
  expect(pathsIn(doctorReportModel, report)).toEqual([]);
  const fromProtocol = { id: 'runtime.ready', status: 'pass', category: 'runtime', message: 'App control bridge is reachable.' };
  expect(pathsIn(doctorReportModel, { runner_protocol_version: 1, status: 'pass', checks: [fromProtocol] })).toEqual([]);
});

test.for<[what: string, json: unknown, path: string]>([
  ['is partial without saying where it ends', row({ web: { status: 'partial' } }), 'capabilities.0.platforms.web.reason'],
  ['has a status of its own', row({ web: { status: 'soon' } }), 'capabilities.0.platforms.web.status'],
  ['names no platform', row({}), 'capabilities.0.platforms'],
  ['comes twice', { ...profile, capabilities: [profile.capabilities[0], profile.capabilities[0]] }, 'capabilities.1.capability'],
  ['stands in another kind of document', { ...profile, kind: 'recipe-flow-catalog' }, 'kind'],
])('a capability is refused that %s', ([, json, path]) => {
  expect(pathsIn(capabilityProfileModel, json)).toEqual([path]);
});

test.for<[what: string, json: unknown, path: string]>([
  ['passes although a check failed', { ...report, status: 'pass' }, 'status'],
  ['has a check without a message', { ...report, checks: [{ id: 'a', status: 'pass', category: 'tools' }] }, 'checks.0.message'],
  ['has no checks', { ...report, checks: undefined }, 'checks'],
  ['speaks another version', { ...report, runner_protocol_version: 2 }, 'runner_protocol_version'],
])('a doctor report is refused that %s', ([, json, path]) => {
  expect(pathsIn(doctorReportModel, json)).toEqual([path]);
});
