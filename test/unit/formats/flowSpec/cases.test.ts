// The cases of the format: what is valid compiles to a recipe that the rules accept, what is invalid is refused for its reason.
import { describe, expect, test } from 'vitest';
import { isAdmitted, listAdmittedHosts } from '../../../../src/formats/flowSpec/network/admittedHosts.js';
import { type BeaconEvent, readBeacons } from '../../../../src/formats/flowSpec/readBeacons.js';
import { vendors } from '../../../../src/formats/flowSpec/vendors.js';
import { shared } from './corpus.js';
import { checkSpec } from './spec.js';

type Case = { rule: string; name: string; valid: boolean; spec: unknown; caught_by: string | null; errors: string[] };
type HostVector = { entry: string; allowed_hosts: string[]; navigate: string; admitted: boolean };
type BeaconVector = { method: string; url: string; body: string | null; expect: Partial<BeaconEvent>[] };

const cases = shared<Case[]>('cases.json');
const hostVectors = shared<HostVector[]>('host-vectors.json');
const beaconVectors = shared<BeaconVector[]>('beacon-vectors.json');

describe.skipIf(!cases)('the shared cases (skipped where ../shared/corpus is not)', () => {
  test.for(cases ?? [])('$rule $name', ({ valid, spec, caught_by, errors }) => {
    const { errors: told, recipeErrors } = checkSpec(spec);
    expect({ valid: told.length === 0, recipeErrors }).toEqual({ valid, recipeErrors: [] });
    // The words of the format's own validator, for the rules that it states.
    if (caught_by === 'cross-field') expect(told.join('\n')).toContain(errors[0]);
  });

  test.for(hostVectors ?? [])('from $entry to $navigate', ({ entry, allowed_hosts, navigate, admitted }) => {
    expect(isAdmitted(navigate, listAdmittedHosts(entry, allowed_hosts))).toBe(admitted);
  });

  test.for(beaconVectors ?? [])('$method $url', ({ method, url, body, expect: expected }) => {
    const sent = {
      method,
      url,
      body: body === null ? undefined : Buffer.from(body),
      pageUrl: 'https://example.com/',
      timestamp: '',
    };
    expect(readBeacons(sent, vendors)).toMatchObject(expected);
    expect(readBeacons(sent, vendors)).toHaveLength(expected.length);
  });
});
