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

test('a capability profile and a doctor report fit their models', () => {
  expect(pathsIn(capabilityProfileModel, profile)).toEqual([]);
  expect(pathsIn(doctorReportModel, report)).toEqual([]);
  const fromProtocol = { id: 'runtime.ready', status: 'pass', category: 'runtime', message: 'App control bridge is reachable.' };
  expect(pathsIn(doctorReportModel, { runner_protocol_version: 1, status: 'pass', checks: [fromProtocol] })).toEqual([]);
});

test.for<[what: string, json: unknown, path: string]>([
  ['is partial without a reason', row({ web: { status: 'partial' } }), 'capabilities.0.platforms.web.reason'],
  ['has an unknown status', row({ web: { status: 'soon' } }), 'capabilities.0.platforms.web.status'],
  ['names no platform', row({}), 'capabilities.0.platforms'],
  [
    'is listed twice',
    { ...profile, capabilities: [profile.capabilities[0], profile.capabilities[0]] },
    'capabilities.1.capability',
  ],
  ['is in another kind of document', { ...profile, kind: 'recipe-flow-catalog' }, 'kind'],
])('a capability that %s is refused', ([, json, path]) => {
  expect(pathsIn(capabilityProfileModel, json)).toEqual([path]);
});

test.for<[what: string, json: unknown, path: string]>([
  ['passes although a check failed', { ...report, status: 'pass' }, 'status'],
  ['has a check without a message', { ...report, checks: [{ id: 'a', status: 'pass', category: 'tools' }] }, 'checks.0.message'],
  ['has no checks', { ...report, checks: undefined }, 'checks'],
  ['has another version of the protocol', { ...report, runner_protocol_version: 2 }, 'runner_protocol_version'],
])('a doctor report that %s is refused', ([, json, path]) => {
  expect(pathsIn(doctorReportModel, json)).toEqual([path]);
});
