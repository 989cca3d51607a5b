import type { Operation } from "../contract/operations/operation.ts";
import { type AttrPath, formatAttr, NON_FIELD_ERRORS } from "../json/attr.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../json/json-value.ts";
import { buildValue, newBuildState, resetBuildState } from "./node/build-payload.ts";
import { pathBelow, withChildColumns } from "./child-columns.ts";
import type { MappingValues } from "./compile-context.ts";
import { compileParameters, compileSteps, compileTopNode, type StepNodes } from "./compile-steps-and-parameters.ts";
import type { CompileContext } from "./node/compile-node.ts";
import type { MappingDocument } from "./document/mapping-document.ts";
import { collectIssues, didYouMean, type Issues } from "./document/mapping-issues.ts";
import { createFunctionCalls, type FunctionCalls } from "./leaf/function-calls.ts";
import { callingNodes } from "./node/calling-nodes.ts";
import { rootSource } from "./document/source-tree.ts";
import { columnsBehind, locateAttr } from "./node/locate-attr.ts";
import { atRow } from "./node/payload-size.ts";
import type { ItemsNode, MappingNode, ObjectNode } from "./node/mapping-node.ts";
import { mappedOf, type Mapping, type Origin, type Mapped, type RowMapping } from "./mapping.ts";
import { cellsOf, type Place } from "../model/place.ts";
import type { Row } from "../model/record.ts";
import type { WrittenMoment } from "./document/source-moment.ts";
import { Failure } from "../model/failure.ts";
import { type SourceColumns, sourceColumns } from "./source-columns.ts";
import type { FieldType } from "../contract/types/field-type.ts";
import { mappedAttrs } from "./node/mapped-attrs.ts";
import { getOrAdd } from "../model/groups.ts";

/**
 * Compiles a mapping against the operation's payload. Throws a Failure `mapping_invalid` that lists all errors, such as
 * attrs that are not in the contract, invalid options, and sources that are not child sources.
 */
export function compileMapping(document: MappingDocument, operation: Operation, values: MappingValues): Mapping {
  const issues = collectIssues(document);
  const columns = new Map<string, SourceColumns>();
  const columnsOf = (source: string): SourceColumns => {
    const create = (): SourceColumns => {
      const own = sourceColumns(source, document.file, (name) => pathBelow(name, source, document));
      return withChildColumns(own, { document, issues, columnsOf });
    };
    return getOrAdd(columns, source, create);
  };
  const calls = createFunctionCalls(values.functions);
  const context = { document, values, issues, calls, columnsOf };
  const root = compileRoot(document, operation, context);
  const asOf = asOfReader(document, columnsOf, values);
  const steps = compileSteps(document, operation, context);
  const parameters = compileParameters(document, operation, context);
  const keyAttr = document.key ?? operation.key;
  refuseUnmappedKey(["key"], document.key, root, issues);
  refuseUnmappedKey(["after", "key"], document.after?.key, root, issues);
  if (operation.body !== undefined) refuseUnmappedMeasures(document, operation.body, issues);
  issues.raise();
  const isAllOfRecord =
    steps.size === 0 && parameters === undefined && document.functions === undefined && asOf === undefined;
  const compiled = { root, steps, parameters };
  const mapping = mappingOver(compiled, keyAttr);
  const prepare = preparation(compiled, calls);
  return {
    ...mapping,
    ...(prepare !== undefined && {
      prepare,
      locate: (row, path) => calls.duringLocate(() => mapping.locate(row, path)),
      cellsBehind: (row, path) => calls.duringLocate(() => mapping.cellsBehind(row, path)),
    }),
    ...(asOf !== undefined && { map: (row) => asOf.add(mapping.map(row), row), asOf: { column: asOf.column } }),
    close: values.functions.close,
    payloadNode: isAllOfRecord ? root : undefined,
    stepNames: [...steps.keys()],
    columns: new Map([...columns].map(([source, used]) => [source, used.names()])),
    choices: new Map([...columns].map(([source, { choices }]) => [source, choices])),
    unmappedRequired: unmappedIn(root, []),
  };
}

/**
 * Returns the column that states the date of the content, if there is one, and a function that adds the moment of a
 * row, or a problem if the cell does not state the moment. The function throws a Failure `mapping_invalid` for a file
 * whose name does not state the moment, and for standard input. Returns undefined if the sources do not state the date.
 */
function asOfReader(
  document: MappingDocument,
  columnsOf: (source: string) => SourceColumns,
  { isReimport = false }: MappingValues,
) {
  const source = rootSource(document);
  const { asOf } = document.sources.get(source) ?? {};
  if (asOf === undefined) return undefined;
  if (asOf.kind !== "column") {
    // A file of rejects has neither the name nor the date of the extract.
    if (isReimport) return undefined;
    const momentOf = asOf.kind === "file name" ? momentOfName(asOf) : momentOfDate;
    return { column: undefined, add: (mapped: Mapped, { table }: Row) => ({ ...mapped, asOf: momentOf(table) }) };
  }
  const column = columnsOf(source).column(asOf.column, document.lineOf(["sources", source, "asOf"]));
  return {
    column: asOf.column,
    add(mapped: Mapped, row: Row): Mapped {
      const cell = column.read(row);
      const moment = typeof cell === "string" ? asOf.read(cell.trim()) : undefined;
      if (moment !== undefined) return { ...mapped, asOf: moment };
      const found = { code: "source_bad_as_of", wanted: asOf.wanted } as const;
      const about = { attr: NON_FIELD_ERRORS, severity: "error", by: "local", place: column.placeIn(row) } as const;
      return { ...mapped, problems: [...mapped.problems, { ...about, ...found }] };
    },
  };
}

function momentOfName({ read, wanted }: WrittenMoment): (table: Row["table"]) => number {
  return ({ file }) => {
    const moment = read(file.slice(file.lastIndexOf("/") + 1));
    if (moment !== undefined) return moment;
    throw new Failure("mapping_invalid", `${file}: the file name must contain ${wanted}`, {
      hint: "rename the file, or change `asOf` in the mapping",
    });
  };
}

/** Returns the modification date, rounded down to a second, because archives and copies often lose the fraction. */
function momentOfDate({ file, modifiedMs }: Row["table"]): number {
  if (modifiedMs !== undefined) return Math.floor(modifiedMs / 1000) * 1000;
  throw new Failure("mapping_invalid", `${file}: standard input has no modification date, which \`asOf\` requires`, {
    hint: "save the data to a file, or use a column for `asOf` in the mapping",
  });
}

function compileRoot(document: MappingDocument, operation: Operation, context: CompileContext): MappingNode {
  if (operation.body === undefined)
    context.issues.add(["payload"], `the operation "${operation.id}" accepts no payload`);
  const root = operation.body && compileTopNode(document.payload, operation.body, ["payload"], context);
  return root ?? { kind: "object", fields: [], required: [], optional: false };
}

interface Nodes {
  readonly root: MappingNode;
  readonly steps: StepNodes;
  /** An object whose only field is `parameters`. */
  readonly parameters: ObjectNode | undefined;
}

function stepAndParameterNodes({ steps, parameters }: Nodes): readonly ObjectNode[] {
  return [...steps.values(), ...(parameters ? [parameters] : [])];
}

function mappingOver(nodes: Nodes, keyAttr: AttrPath | undefined): RowMapping {
  const { root, steps, parameters } = nodes;
  const locate = (row: Row, path: AttrPath): Place => locateAttr(nodeWith(path, nodes), row, path);
  return {
    keyAttr,
    keyColumns: keyAttr === undefined ? [] : columnsBehind(nodeWith(keyAttr, nodes), keyAttr),
    cellsBehind: (row, path) => {
      const leaf = nodeIn(root, path);
      return (leaf?.kind === "leaf" && leaf.choicesIn?.(row)) || cellsOf(locate(row, path));
    },
    map: (row) =>
      atRow(row, () => {
        const build = newBuildState();
        const payload = payloadOf(buildValue(root, row, build));
        const stepValues = new Map([...steps].map(([name, node]) => [name, payloadOf(buildValue(node, row, build))]));
        const values = parameters && payloadOf(payloadOf(buildValue(parameters, row, build))["parameters"]);
        const mapped = mappedOf(payload, keyAttr, build.problems);
        if (steps.size === 0 && values === undefined) return mapped;
        return {
          ...mapped,
          ...(steps.size > 0 && { steps: stepValues }),
          ...(values !== undefined && { parameters: values }),
        };
      }),
    locate,
    isConstant: (path) => {
      const leaf = root.kind === "variant" ? root : nodeIn(root, path);
      if (leaf?.kind !== "leaf") return leaf === undefined;
      return leaf.origin === "value" && leaf.read === undefined && leaf.applies === undefined;
    },
    origins: (row) => {
      const origins: Origin[] = [];
      for (const node of [root, ...stepAndParameterNodes(nodes)]) buildValue(node, row, newBuildState(origins));
      return origins;
    },
  };
}

/** Returns undefined for a mapping that calls no function. */
function preparation(compiled: Nodes, calls: FunctionCalls): Mapping["prepare"] {
  const rounds = callingNodes([compiled.root, ...stepAndParameterNodes(compiled)]);
  if (rounds.every((nodes) => nodes.length === 0)) return undefined;
  // The built values are discarded, because calls have no results while they are collected.
  const build = newBuildState();
  const collects = rounds.map((nodes) => (row: Row) => {
    resetBuildState(build);
    for (const node of nodes) buildValue(node, row, build);
  });
  return (rows) => calls.prepare(rows, collects);
}

/** Returns an empty object if all cells are empty. */
function payloadOf(value: JsonValue | undefined): JsonObject {
  return value !== undefined && isJsonObject(value) ? value : {};
}

/** Returns the entry at a path of field names, or undefined if the mapping has none. */
function nodeIn(node: MappingNode, path: AttrPath): MappingNode | undefined {
  const [segment, ...rest] = path;
  if (segment === undefined) return node;
  const object = node.kind === "variant" ? node.otherwise : node;
  const field = object.kind === "object" ? object.fields.find(({ name }) => name === segment) : undefined;
  return field && nodeIn(field.node, rest);
}

function unmappedIn(node: MappingNode, path: AttrPath): readonly string[] {
  if (node.kind === "leaf" || node.kind === "split" || node.kind === "foreign") return [];
  if (node.kind === "each") return unmappedIn(node.item, [...path, "*"]);
  if (node.kind === "items") return unmappedInItems(node, path);
  const { fields, required } = node.kind === "object" ? node : node.otherwise;
  const missing = required.filter((name) => !fields.some((field) => field.name === name));
  const below = fields.flatMap((field) => unmappedIn(field.node, [...path, field.name]));
  return [...missing.map((name) => formatAttr([...path, name])), ...below];
}

/**
 * Returns the unmapped attrs in the items of a list. In a list with items from child rows, `*` replaces the item
 * numbers, which are unknown.
 */
function unmappedInItems({ entries }: ItemsNode, path: AttrPath): readonly string[] {
  const isNumbered = entries.every(({ kind }) => kind === "single");
  const unmapped = entries.flatMap(({ item }, index) => unmappedIn(item, [...path, isNumbered ? index : "*"]));
  return [...new Set(unmapped)];
}

/** Returns the node that contains an attr: the payload, unless only a step or the parameters have such a field. */
function nodeWith([field]: AttrPath, nodes: Nodes): MappingNode {
  const { root } = nodes;
  const has = (node: ObjectNode): boolean => node.fields.some(({ name }) => name === field);
  const others = stepAndParameterNodes(nodes);
  if (others.length === 0 || root.kind !== "object" || has(root)) return root;
  return others.find(has) ?? root;
}

/** Rejects an attr of a key that the mapping does not fill: no record would have such a key. */
function refuseUnmappedKey(option: AttrPath, attr: AttrPath | undefined, root: MappingNode, issues: Issues): void {
  if (attr === undefined || nodeIn(root, attr)?.kind === "leaf") return;
  issues.add(option, `the payload has no field "${formatAttr(attr)}"`);
}

/** Rejects a measure whose `attr` or `by` the mapping does not fill: there would be nothing to sum or to group by. */
function refuseUnmappedMeasures(document: MappingDocument, body: FieldType, issues: Issues): void {
  if (document.measures.length === 0) return;
  const attrs = [...mappedAttrs(document.payload, body).keys()].filter((attr) => attr !== "");
  for (const { name, attr, by } of document.measures) {
    for (const [option, path] of [
      ["attr", attr],
      ["by", by],
    ] as const) {
      const written = path && formatAttr(path);
      if (written === undefined || attrs.includes(written)) continue;
      issues.add(["measures", name, option], `the mapping does not fill "${written}"`, didYouMean(written, attrs));
    }
  }
}
