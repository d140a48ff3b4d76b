// The JSON Schemas of a manifest are schemas. The models of its format take any object for one.
import { checkBySchema } from '../../actions/jsonSchema.js';
import { joinPointer } from '../../document/pointer.js';
import type { Rule } from '../rules.js';

export const schemaRules: Rule = ({ nodes, traits, declared, report, level }) => {
  if (!traits.schemas) return;
  const severity = level === 'strict' ? 'error' : 'warning';
  for (const { node } of nodes) {
    for (const { what, keys, schema } of declared(node)?.schemas?.(node) ?? []) {
      const check = checkBySchema(schema);
      if (!('problem' in check)) continue;
      const message = `${what} is no JSON Schema that could be used: ${check.problem}.`;
      const hint = 'Nothing runs that is held to it. Correct it, or write {} to allow everything.';
      report({ code: 'runtime.invalid_schema', severity, path: joinPointer(node.pointer, ...keys), message, hint });
    }
  }
};
