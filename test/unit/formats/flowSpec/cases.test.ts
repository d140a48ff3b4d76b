// The shared cases of the format: a valid flow-spec compiles to a valid recipe, and an invalid one is refused with the recorded
// error.
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

describe.skipIf(!cases)('the shared flow-spec cases (skipped without ../shared/corpus)', () => {
  test.for(cases ?? [])(
    'the shared case "$rule $name" is accepted or refused as recorded',
    ({ valid, spec, caught_by, errors }) => {
      const { errors: reported, recipeErrors } = checkSpec(spec);
      expect({ valid: reported.length === 0, recipeErrors }).toEqual({ valid, recipeErrors: [] });
      // For rules between fields, the message is that of the format's own validator.
      if (caught_by === 'cross-field') expect(reported.join('\n')).toContain(errors[0]);
    },
  );

  test.for(hostVectors ?? [])(
    'a navigation from $entry to $navigate is allowed or blocked as recorded',
    ({ entry, allowed_hosts, navigate, admitted }) => {
      expect(isAdmitted(navigate, listAdmittedHosts(entry, allowed_hosts))).toBe(admitted);
    },
  );

  test.for(beaconVectors ?? [])('the beacons in $method $url are read as recorded', ({ method, url, body, expect: expected }) => {
    const request = {
      method,
      url,
      body: body === null ? undefined : Buffer.from(body),
      pageUrl: 'https://example.com/',
      timestamp: '',
    };
    expect(readBeacons(request, vendors)).toMatchObject(expected);
    expect(readBeacons(request, vendors)).toHaveLength(expected.length);
  });
});
