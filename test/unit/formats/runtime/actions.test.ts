// The actions of runtime recipes have valid examples and schemas.
import { expect, test } from 'vitest';
import { runtimeActions } from '../../../../src/formats/runtime/actions/runtimeActions.js';
import { toJsonSchema } from '../../../../src/registry/toJsonSchema.js';

const protocol = new Set(['action', 'body', 'intent']);

test.for(runtimeActions().map((action) => [action.name, action] as const))(
  'the action %s has an example that its own schema accepts',
  ([name, action]) => {
    expect(action.examples.length).toBeGreaterThan(0);
    for (const { node } of action.examples) {
      expect(node.action).toBe(name);
      const fields = Object.fromEntries(Object.entries(node).filter(([key]) => !protocol.has(key)));
      expect(action.schema.safeParse(fields)).toMatchObject({ success: true });
    }
  },
);

test.for(runtimeActions().map((action) => [action.name, action] as const))(
  'the action %s has a JSON Schema for editors',
  ([, action]) => {
    expect(toJsonSchema(action.schema)).toMatchObject({
      type: 'object',
      additionalProperties: false,
      required: expect.arrayContaining(['node', 'level']),
    });
  },
);
