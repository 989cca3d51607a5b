import type { Operation, Step } from "../contract/operations/operation.ts";
import { stepFieldsType } from "../contract/operations/step-fields.ts";
import { type AttrPath, formatAttr } from "../json/attr.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../json/json-value.ts";
import { buildValue, newBuildState } from "./build-payload.ts";
import type { MappingValues } from "./compile-context.ts";
import { type CompileContext, compileNode } from "./compile-node.ts";
import type { MappingDocument } from "./document/mapping-document.ts";
import { collectIssues, didYouMean, type Issues } from "./document/mapping-issues.ts";
import { rootSource } from "./document/source-tree.ts";
import { locateAttr } from "./locate-attr.ts";
import type { MappingNode, ObjectNode } from "./mapping-node.ts";
import { mappedOf, type Mapping, type Origin } from "./mapping.ts";
import { type SourceColumns, sourceColumns } from "./source-columns.ts";

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
  const context = { document, values, issues, columnsOf };
  const root = compileRoot(document, operation, context);
  const steps = compileSteps(document, operation, context);
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

function compileRoot(document: MappingDocument, operation: Operation, context: CompileContext): MappingNode {
  if (operation.body === undefined) context.issues.add(["payload"], `the operation "${operation.id}" takes no payload`);
  const root =
    operation.body &&
    compileNode(document.payload, operation.body, {
      ...context,
      path: ["payload"],
      columns: context.columnsOf(rootSource(document)),
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
      const build = newBuildState();
      const payload = payloadOf(buildValue(root, row, build));
      const given = new Map([...steps].map(([name, node]) => [name, payloadOf(buildValue(node, row, build))]));
      const mapped = mappedOf(payload, keyAttr, build.problems);
      return steps.size === 0 ? mapped : { ...mapped, steps: given };
    },
    locate: (row, path) => locateAttr(nodeWith(path, root, steps), row, path),
    isConstant: (path) => {
      const leaf = root.kind === "variant" ? root : nodeIn(root, path);
      if (leaf?.kind !== "leaf") return leaf === undefined;
      return leaf.origin === "value" && leaf.read === undefined && leaf.applies === undefined;
    },
    origins: (row) => {
      const origins: Origin[] = [];
      for (const node of [root, ...steps.values()]) buildValue(node, row, newBuildState(origins));
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

/** What a mapping gives to the bodies of steps, by the step's name. */
type StepNodes = ReadonlyMap<string, ObjectNode>;

/** Adds an issue for a step that the operation does not have, and for what a step's body cannot be given. */
function compileSteps(document: MappingDocument, operation: Operation, context: CompileContext): StepNodes {
  const nodes = [...document.steps].flatMap(([name, entry]) => {
    const step = operation.steps.find((one) => one.name === name);
    const node = step && compileStep(step, entry, context);
    if (step === undefined) refuseStep(name, operation, context.issues);
    return node === undefined ? [] : [[name, node] as const];
  });
  return new Map(nodes);
}

function compileStep(step: Step, entry: JsonObject, context: CompileContext): ObjectNode | undefined {
  const path = ["steps", step.name];
  const type = stepFieldsType(step);
  if (type === undefined) {
    context.issues.add(path, "takes the payload and nothing else");
    return undefined;
  }
  refuseSet(step, entry, path, context.issues);
  const columns = context.columnsOf(rootSource(context.document));
  const node = compileNode(entry, type, { ...context, path, columns, optional: false });
  return node?.kind === "object" ? node : undefined;
}

function refuseStep(name: string, { id, steps }: Operation, issues: Issues): void {
  const names = steps.map((step) => step.name);
  const hint = names.length === 0 ? "it is made by one request" : didYouMean(name, names);
  issues.add(["steps", name], `the operation "${id}" has no such step`, hint);
}

/** The contract has the last word on what it sets: a dry run, for one, would never create what is waited for. */
function refuseSet({ body = {} }: Step, entry: JsonObject, path: AttrPath, issues: Issues): void {
  for (const [name, value] of Object.entries(entry)) {
    const source = body[name];
    if (source === undefined) continue;
    if ("attr" in source) issues.add([...path, name], SET_BY_STEP);
    else refuseSame(source.value, value, [...path, name], issues);
  }
}

function refuseSame(set: JsonValue, entry: JsonValue, path: AttrPath, issues: Issues): void {
  if (!isJsonObject(set) || !isJsonObject(entry)) {
    issues.add(path, SET_BY_STEP);
    return;
  }
  for (const [name, value] of Object.entries(entry)) {
    const member = set[name];
    if (member !== undefined) refuseSame(member, value, [...path, name], issues);
  }
}

const SET_BY_STEP = "is set by the contract's step (`x-migrate-steps`)";

/** The node that an attr belongs to: of the payload, unless only a step has such a field. */
function nodeWith([field]: AttrPath, payload: MappingNode, steps: StepNodes): MappingNode {
  const has = (node: ObjectNode): boolean => node.fields.some(({ name }) => name === field);
  if (steps.size === 0 || payload.kind !== "object" || has(payload)) return payload;
  return [...steps.values()].find(has) ?? payload;
}
