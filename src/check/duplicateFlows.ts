// Flow names that share verb and object and differ only by polarity, state, route or provider (spec §8.1).
const states = new Set(
  'no,not,non,without,un,none,any,open,opened,closed,long,short,on,off,enabled,disabled,true,false,visible,hidden,present,absent,empty,full,active,inactive,logged,in,out,locked,unlocked,mainnet,testnet,is,has,default'.split(
    ',',
  ),
);
/** Verbs whose object is a route or a choice, and so a parameter. */
const choosing = new Set(['navigate', 'goto', 'select', 'switch', 'visit']);

export type Duplicate = { id: string; others: string[]; wanted: string };

export function duplicateFlows(ids: readonly string[]): Duplicate[] {
  const families = new Map<string, string[]>();
  for (const id of ids) {
    const key = familyOf(id);
    families.set(key, [...(families.get(key) ?? []), id]);
  }
  return [...families].flatMap(([key, [first, ...others]]) =>
    first === undefined || others.length === 0 ? [] : [{ id: first, others, wanted: JSON.stringify(key) }],
  );
}

function familyOf(id: string): string {
  const at = id.lastIndexOf('.');
  const [verb = '', ...object] = id.slice(at + 1).split(/[_-]/);
  const rest = choosing.has(verb) ? [] : object.filter((word) => !states.has(word)).map(singular);
  return id.slice(0, at + 1) + [verb, ...rest].join('_');
}

function singular(word: string): string {
  return word.length > 3 && word.endsWith('s') && !word.endsWith('ss') ? word.slice(0, -1) : word;
}
