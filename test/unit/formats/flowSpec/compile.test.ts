// A flow-spec compiles to a readable Recipe v1 document that records where its steps were written.
import { expect, test } from 'vitest';
import { checkSpec, spec } from './spec.js';

test('each step of a flow-spec becomes a node with a readable intent, and the graph marks optional steps and graded assertions', () => {
  const { compiled, recipeErrors } = checkSpec(
    spec(
      [
        { type: 'act', action: 'fill', target: 'the email field', selector: 'input[name=email]', value: '{{EMAIL}}' },
        { type: 'wait', for: '.done', optional: true },
        { type: 'expect', kind: 'beacon', vendor: 'ga4', event: 'sign_up' },
      ],
      { allowed_hosts: ['pay.example.org'], assertions: [{ kind: 'no_console_errors' }] },
    ),
  );
  expect(recipeErrors).toEqual([]);
  expect(compiled?.recipe.json).toMatchInlineSnapshot(`
    {
      "inputs": {
        "EMAIL": {
          "description": "A credential of the flow-spec. Without it the run fails with credential_rejected.",
          "ref": "env:EMAIL",
          "type": "secret-ref",
        },
      },
      "schema_version": 1,
      "title": "A flow of the tests",
      "validate": {
        "workflow": {
          "entry": "begin",
          "nodes": {
            "assertion-1": {
              "action": "rw.flow_assert",
              "intent": "Grade the flow: no console errors",
              "kind": "no_console_errors",
              "next": "grade",
              "rw": {
                "on_fail": "continue",
              },
              "severity": "warning",
            },
            "begin": {
              "action": "rw.flow_open",
              "allowed_hosts": [
                "pay.example.org",
              ],
              "assertions": [
                "assertion-1",
              ],
              "intent": "Start a guarded browser at https://example.com",
              "name": "A flow of the tests",
              "next": "step-1",
              "opens": true,
              "steps": [
                {
                  "id": "step-1",
                  "intent": "Type "<EMAIL>" into the email field",
                },
                {
                  "id": "step-2",
                  "intent": "Wait until ".done" appears",
                  "optional": true,
                },
                {
                  "id": "step-3",
                  "intent": "Check that the beacon "sign_up" of ga4 was sent",
                },
              ],
              "url": "https://example.com",
            },
            "done": {
              "action": "end",
              "status": "pass",
            },
            "grade": {
              "action": "rw.flow_grade",
              "intent": "Fail the test if the findings are severe enough",
              "next": "done",
            },
            "step-1": {
              "action": "rw.flow_act",
              "does": "fill",
              "intent": "Type "<EMAIL>" into the email field",
              "next": "step-2",
              "record": "failure_only",
              "selector": "input[name=email]",
              "target": "the email field",
              "value": "{{inputs.EMAIL}}",
            },
            "step-2": {
              "action": "rw.flow_wait",
              "for": ".done",
              "intent": "Wait until ".done" appears",
              "next": "step-3",
              "record": "failure_only",
              "rw": {
                "on_fail": "continue",
              },
            },
            "step-3": {
              "action": "rw.flow_expect",
              "event": "sign_up",
              "intent": "Check that the beacon "sign_up" of ga4 was sent",
              "kind": "beacon",
              "next": "assertion-1",
              "record": "failure_only",
              "vendor": "ga4",
            },
          },
          "teardown": [
            {
              "action": "rw.flow_close",
              "id": "report",
              "intent": "Write the findings of the flow, and close its browser",
            },
          ],
        },
      },
    }
  `);
});

test('a finding about a compiled node points to the authored step', () => {
  const { compiled } = checkSpec(
    spec([
      { type: 'wait', ms: 1 },
      { type: 'wait', ms: 2 },
    ]),
  );
  expect(compiled?.authored?.('/validate/workflow/nodes/step-2/ms')).toBe('/steps/1/ms');
  expect(compiled?.origin('/validate/workflow/nodes/step-2').line).toBe(10);
});

test('the intent of a step never equals the title of the flow-spec', () => {
  expect(
    checkSpec(spec([{ type: 'goto', url: 'https://example.com' }], { name: 'Open https://example.com' })).recipeErrors,
  ).toEqual([]);
});
