// Reading a flow-spec: which documents are refused, at which position, and with which message.
import { describe, expect, test } from 'vitest';
import { checkSpec, type Json, spec } from './spec.js';

const goto = { type: 'goto', url: 'https://example.com' };

/** Formats each finding as `code path: message`. */
const findingsOf = (value: unknown): string[] =>
  checkSpec(value).findings.map(({ code, path, message }) => `${code} ${path}: ${message}`);

describe('a refused flow-spec', () => {
  test.for<[Json, string]>([
    [
      { ...spec([goto]), spec_version: 1 },
      'flow_spec.unsupported_version /spec_version: spec_version: "1" was expected, but it is 1',
    ],
    [{ name: 'a', url: 'https://e.com', steps: [goto] }, 'flow_spec.unsupported_version /spec_version: spec_version is required'],
    [spec([goto], { tags: [] }), 'flow_spec.unknown_field /tags: tags: unknown field "tags"'],
    [spec([{ ...goto, timeout: 5 }]), 'flow_spec.unknown_field /steps/0/timeout: steps[0].timeout: unknown field "timeout"'],
    [spec([{ type: 'clik' }]), 'flow_spec.unknown_type /steps/0/type: steps[0]: unknown type "clik"'],
    [spec([{ type: 'expect', kind: 'no_404' }]), 'flow_spec.unknown_type /steps/0/kind: steps[0]: unknown kind "no_404"'],
    [spec([{ url: 'https://e.com' }]), 'flow_spec.missing_field /steps/0/type: steps[0].type is required'],
    [
      spec(['go' as unknown as Json]),
      'flow_spec.invalid_value /steps/0: steps[0]: Invalid input: expected object, received string, but it is "go"',
    ],
    [spec([{ type: 'act', action: 'click' }]), 'flow_spec.invalid_act /steps/0: steps[0]: act needs selector or target'],
    [spec([{ type: 'wait', ms: 1, for: 'a' }]), 'flow_spec.invalid_wait /steps/0: steps[0]: wait takes exactly one of ms / for'],
    [
      spec([{ type: 'wait', for: '(//a)[1]' }]),
      'flow_spec.xpath_selector /steps/0/for: steps[0]: XPath selectors are refused, but for is "(//a)[1]"',
    ],
    [
      spec([goto], { allowed_hosts: ['x.com:443'] }),
      'flow_spec.invalid_host /allowed_hosts/0: allowed_hosts[0]: bare hostname only, but it is "x.com:443"',
    ],
    [
      spec([{ type: 'goto', url: '/cart' }]),
      'flow_spec.invalid_url /steps/0/url: steps[0].url: an absolute http or https URL was expected, but it is "/cart"',
    ],
    [
      spec([goto], { description: null }),
      'flow_spec.invalid_value /description: description: Invalid input: expected string, received null, but it is null',
    ],
  ])('the invalid flow-spec %j is refused with the expected finding', ([value, expected]) => {
    expect(findingsOf(value)).toContain(expected);
  });

  test('a misspelled field of a flow-spec is reported at its position with a suggestion', () => {
    const [finding] = checkSpec(spec([{ type: 'act', action: 'click', selecter: '#a', target: 'the button' }])).findings;
    expect(finding).toMatchObject({ place: { file: '/lab/a.flowspec.json', line: 9, column: 7 } });
    expect(finding?.hint).toMatch(/^Did you mean "selector"\? Known: type, action/);
  });

  test.for(['(', '(?=a)b', '(a)\\1', '[z-a]'])(
    'the pattern %s is refused, because RE2 cannot match it in linear time',
    (value) => {
      expect(findingsOf(spec([{ type: 'expect', kind: 'url_matches', value }]))[0]).toMatch(
        /^flow_spec\.invalid_pattern \/steps\/0\/value: steps\[0\]: invalid regex/,
      );
    },
  );

  test.for(['(?P<order>\\d+)', '\\Ahttps', 'end\\Z', '\\\\Z'])('the pattern %s in the syntax of Python is accepted', (value) => {
    expect(findingsOf(spec([{ type: 'expect', kind: 'url_matches', value }]))).toEqual([]);
  });

  test('the length limits of a flow-spec count characters, not UTF-16 units', () => {
    expect(findingsOf(spec([{ type: 'act', action: 'click', target: '🙂'.repeat(200) }]))).toEqual([]);
    expect(findingsOf(spec([{ type: 'act', action: 'click', target: '🙂'.repeat(201) }]))[0]).toContain(
      'steps[0].target: 1-200 chars',
    );
    expect(findingsOf(spec([goto], { name: ` ${'🙂'.repeat(120)} ` }))).toEqual([]);
  });

  test.for(['https://x.com', 'x/y', '*.x.com', 'a b', '-x.com', 'x..com', 'user@x.com', '[::1]'])(
    'the allowed host %s is refused, because it is not a bare hostname',
    (host) => {
      expect(checkSpec(spec([goto], { allowed_hosts: [host] })).codes).toEqual(['flow_spec.invalid_host']);
    },
  );
});

describe('a flow-spec with a warning', () => {
  test.for<[Json, string]>([
    [spec([{ type: 'expect', kind: 'beacon', vendor: 'g4' }]), 'flow_spec.unknown_vendor'],
    [spec([{ type: 'expect', kind: 'url_contains', value: '' }]), 'flow_spec.empty_expectation'],
    [spec([{ type: 'goto', url: 'https://other.com' }]), 'flow_spec.host_not_admitted'],
  ])('the flow-spec %j gets the warning %s', ([value, code]) => {
    expect(checkSpec(value).findings).toMatchObject([{ code, severity: 'warning' }]);
  });

  test('the warning about a parent domain says that an admitted subdomain does not admit its parent', () => {
    const { findings } = checkSpec(spec([{ type: 'goto', url: 'https://example.com/' }], { url: 'https://www.example.com' }));
    expect(findings[0]?.message).toContain(
      'www.example.com admits its own subdomains, but not example.com above it. Add "example.com" to "allowed_hosts"',
    );
  });
});
