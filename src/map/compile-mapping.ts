import { isJsonObject, type JsonObject, type JsonValue } from "../model/json.ts";
import { formatAttr, type AttrPath } from "../model/attr.ts";
import type { Operation } from "../contract/contract.ts";
import { buildValue, newBuild } from "./build-payload.ts";
import { compileSteps, nodeWith, type StepNodes } from "./step-nodes.ts";
import { compileNode, type CompileParts } from "./compile-node.ts";
import type { MappingValues } from "./leaf-context.ts";
import { mappedOf } from "./mapped.ts";
import { locateIn } from "./locate.ts";
import type { MappingDocument } from "./mapping-document.ts";
import { collectIssues } from "./mapping-issues.ts";
import type { MappingNode } from "./mapping-node.ts";
import type { Mapping, Origin } from "./mapping.ts";
import { sourceColumns, type SourceColumns } from "./source-columns.ts";
import { rootSource } from "./source-plan.ts";

/**
 * Compiles a mapping against the operation's payload. Throws a Failure `mapping_invalid` that lists all that does not
 * fit: attrs that the contract does not know, options that cannot work there, sources that are not children.
 */
export function compileMapping(document: MappingDocument, operation: Operation, values: MappingValues): Mapping {
  const issues = collectIssues(document);
  const columns = new Map<string, SourceColumns>();
  const columnsOf = (source: string): SourceColumns => {
    const known = columns.get(source) ?? sourceColumns(source, document.file);
    columns.set(source, known);
    return known;
  };
  const parts = { document, values, issues, columnsOf };
  const root = compileRoot(document, operation, parts);
  const steps = compileSteps(document, operation, parts);
  const keyAttr = document.key ?? operation.key;
  if (document.key !== undefined && !isMapped(root, document.key)) {
    issues.add(["key"], `the payload has no field "${formatAttr(document.key)}"`);
  }
  issues.raise();
  return {
    ...mappingOver(root, steps, keyAttr),
    columns: new Map([...columns].map(([source, used]) => [source, used.names()])),
    unmappedRequired: unmappedIn(root, []),
  };
}

function compileRoot(document: MappingDocument, operation: Operation, parts: CompileParts): MappingNode {
  if (operation.body === undefined) parts.issues.add(["payload"], `the operation "${operation.id}" takes no payload`);
  const root =
    operation.body &&
    compileNode(document.payload, operation.body, {
      ...parts,
      path: ["payload"],
      columns: parts.columnsOf(rootSource(document)),
      optional: false,
    });
  return root ?? { kind: "object", fields: [], required: [], optional: false };
}

function mappingOver(
  root: MappingNode,
  steps: StepNodes,
  keyAttr: AttrPath | undefined,
): Pick<Mapping, "map" | "locate" | "origins" | "keyAttr" | "isConstant"> {
  return {
    keyAttr,
    map: (row) => {
      const build = newBuild();
      const payload = payloadOf(buildValue(root, row, build));
      const given = new Map([...steps].map(([name, node]) => [name, payloadOf(buildValue(node, row, build))]));
      const mapped = mappedOf(payload, keyAttr, build.problems);
      return steps.size === 0 ? mapped : { ...mapped, steps: given };
    },
    locate: (row, path) => locateIn(nodeWith(path, root, steps), row, path),
    isConstant: (path) => {
      const leaf = root.kind === "variant" ? root : nodeIn(root, path);
      if (leaf?.kind !== "leaf") return leaf === undefined;
      return leaf.origin === "value" && leaf.read === undefined && leaf.applies === undefined;
    },
    origins: (row) => {
      const origins: Origin[] = [];
      for (const node of [root, ...steps.values()]) buildValue(node, row, newBuild(origins));
      return origins;
    },
  };
}

function payloadOf(value: JsonValue | undefined): JsonObject {
  return value !== undefined && isJsonObject(value) ? value : {};
}

function isMapped(node: MappingNode, path: AttrPath): boolean {
  return nodeIn(node, path)?.kind === "leaf";
}

/** The entry at a path of field names; undefined where the mapping has none. */
function nodeIn(node: MappingNode, path: AttrPath): MappingNode | undefined {
  const [segment, ...rest] = path;
  if (segment === undefined) return node;
  const object = node.kind === "variant" ? node.otherwise : node;
  const field = object.kind === "object" ? object.fields.find(({ name }) => name === segment) : undefined;
  return field && nodeIn(field.node, rest);
}

function unmappedIn(node: MappingNode, path: AttrPath): readonly string[] {
  if (node.kind === "leaf" || node.kind === "split") return [];
  if (node.kind === "each") return unmappedIn(node.item, [...path, "*"]);
  if (node.kind === "items") return node.items.flatMap((item, index) => unmappedIn(item, [...path, index]));
  const { fields, required } = node.kind === "object" ? node : node.otherwise;
  const missing = required.filter((name) => !fields.some((field) => field.name === name));
  const below = fields.flatMap((field) => unmappedIn(field.node, [...path, field.name]));
  return [...missing.map((name) => formatAttr([...path, name])), ...below];
}
