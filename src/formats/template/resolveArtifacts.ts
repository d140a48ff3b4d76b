// Where the artifacts of a recipe lie, once its values are known; the order is the author's order of importance.
import { substitute } from './substitute.js';
import { honestValues, type Layers } from './templateValues.js';

export type NamedPath = { name: string; path: string };

export function resolveArtifacts(artifacts: Readonly<Record<string, string>>, layers: Layers): NamedPath[] {
  const values = honestValues(layers);
  return Object.entries(artifacts).map(([name, path]) => {
    return { name, path: substitute(path, { values, label: `recipe artifacts.${name}`, honest: true }) };
  });
}
