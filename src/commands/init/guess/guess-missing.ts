import { isJsonArray, isJsonObject, type JsonValue } from "../../../json/json-value.ts";
import type { ChildSpec, SourceSpec } from "../../../model/source-spec.ts";
import type { SourceNode } from "../joins/join-tree.ts";
import type { ColumnProfile } from "../profile/column-profile.ts";
import type { SourceProfile } from "../source-profile.ts";
import { fillAll, type GuessOptions, preparePayload, zoneOf } from "./guess-mapping.ts";
import type { Container } from "./region.ts";

/** Guesses for the fields of an existing mapping, based on its joins and lists. */
export interface MissingGuesses {
  readonly payload: Container;
  readonly zone: string;
}

/**
 * @param plan the sources of the mapping
 * @param profiles profiles of all these sources, found by name
 * @param written the payload of the mapping
 */
export function guessMissing(
  {
    plan,
    profiles,
    written,
  }: { readonly plan: SourceSpec; readonly profiles: readonly SourceProfile[]; readonly written: JsonValue },
  options: GuessOptions,
): MissingGuesses {
  const { payload, scores } = preparePayload(options);
  const root = nodeOf(plan, profiles);
  placeAsWritten(payload, written, new Map(nodesIn(root).map((node) => [node.source.name, node])));
  fillAll(payload, root, scores);
  return { payload, zone: zoneOf(options.contract) };
}

function nodesIn(node: SourceNode): readonly SourceNode[] {
  return [node, ...node.children.flatMap(nodesIn)];
}

function nodeOf(spec: SourceSpec | ChildSpec, profiles: readonly SourceProfile[], above?: SourceProfile): SourceNode {
  const source = profiles.find(({ name }) => name === spec.name);
  if (source === undefined) throw new Error(`the source ${spec.name} was not read`);
  const key = columnOf(source, spec.key);
  const on = "on" in spec ? columnOf(source, spec.on) : undefined;
  const join = above &&
    on && { from: source, column: on, to: above, key: on, hits: 1, kind: "many-to-one" as const, score: 1 };
  return {
    source,
    key,
    parent: join && { join, shared: false },
    children: spec.children.map((child) => nodeOf(child, profiles, source)),
  };
}

function columnOf({ columns }: SourceProfile, name: string | undefined): ColumnProfile | undefined {
  return columns.find((column) => column.name === name);
}

/**
 * Assigns each list the source that the mapping uses for it; for a list of several parts, the source of the first part.
 */
function placeAsWritten(
  container: Container,
  written: JsonValue | undefined,
  nodes: ReadonlyMap<string, SourceNode>,
): void {
  if (written === undefined || !isJsonObject(written)) return;
  for (const field of container.fields) {
    const entry = written[field.name];
    if (field.kind === "slot" || entry === undefined) continue;
    const part = isJsonArray(entry) ? entry.find(isJsonObject) : entry;
    const each = field.isList && isJsonObject(part) ? part["each"] : undefined;
    if (typeof each === "string") field.source = nodes.get(each);
    placeAsWritten(field, typeof each === "string" && isJsonObject(part) ? part["item"] : part, nodes);
  }
}
