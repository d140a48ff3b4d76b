// The types of a valid manifest, with all defaults filled in.

type Dict = Readonly<Record<string, unknown>>;

export type ManifestState = { schema: Dict; persistence: 'ephemeral' | 'persistent' };

export type Policy = { max_steps: number | null; max_retries: number; timeout: number | null; human_in_the_loop: boolean };

export type Council = { strategy: string; voters: readonly string[] };

type NodeCommon = { id: string; council_config: Council | null; visual: { label: string | null } | null; metadata: Dict };

export type DataMapping = { source: string; strategy: 'direct' | 'jsonpath' | 'literal' };
export type Mapping = Readonly<Record<string, string | DataMapping>>;

export type AgentNode = NodeCommon & {
  type: 'agent';
  agent_name: string;
  system_prompt: string | null;
  config: Dict | null;
  overrides: Dict | null;
};
type HumanNode = NodeCommon & { type: 'human'; timeout_seconds: number | null };
export type LogicNode = NodeCommon & { type: 'logic'; code: string };
export type SubRecipeNode = NodeCommon & { type: 'recipe'; recipe_id: string; input_mapping: Mapping; output_mapping: Mapping };
export type MapNode = NodeCommon & { type: 'map'; items_path: string; processor_node_id: string; concurrency_limit: number };
export type TopologyNode = AgentNode | HumanNode | LogicNode | SubRecipeNode | MapNode;

export type RouterExpression = { operator: string; args: readonly unknown[] };
type PlainEdge = { source_node_id: string; target_node_id: string; condition: string | null };
type ConditionalEdge = {
  source_node_id: string;
  router_logic: string | RouterExpression;
  mapping: Readonly<Record<string, string>>;
};
export type TopologyEdge = PlainEdge | ConditionalEdge;

export type Topology = { nodes: readonly TopologyNode[]; edges: readonly TopologyEdge[]; state_schema: ManifestState | null };

export type Manifest = {
  id: string;
  version: string;
  name: string;
  description: string | null;
  interface: { inputs: Dict; outputs: Dict };
  state: ManifestState;
  policy: Policy | null;
  parameters: Dict;
  topology: Topology;
  integrity_hash: string | null;
  metadata: Dict;
};

export function isConditional(edge: TopologyEdge): edge is ConditionalEdge {
  return 'router_logic' in edge;
}
