import type { Operation, Step } from "../contract/operations/operation.ts";
import { parametersType, requiredParameters } from "../contract/operations/request-parameters.ts";
import { stepFieldsType } from "../contract/operations/step-fields.ts";
import type { AttrPath } from "../json/attr.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../json/json-value.ts";
import { type CompileContext, compileNode } from "./node/compile-node.ts";
import type { MappingDocument } from "./document/mapping-document.ts";
import { didYouMean, type Issues } from "./document/mapping-issues.ts";
import { rootSource } from "./document/source-tree.ts";
import type { FieldType } from "../contract/types/field-type.ts";
import type { MappingNode, ObjectNode } from "./node/mapping-node.ts";

/** The nodes that a mapping defines for the bodies of steps, by step name. */
export type StepNodes = ReadonlyMap<string, ObjectNode>;

/** Adds an issue for a step that the operation does not have, and for fields that the body of a step cannot have. */
export function compileSteps(document: MappingDocument, operation: Operation, context: CompileContext): StepNodes {
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
    return context.issues.add(path, "accepts no fields other than the payload");
  }
  refuseSet(step, entry, path, context.issues);
  return objectNode(compileTopNode(entry, type, path, context));
}

/** Compiles an entry whose values come from the rows of the root source. */
export function compileTopNode(
  entry: JsonObject,
  type: FieldType,
  path: AttrPath,
  context: CompileContext,
): MappingNode | undefined {
  const columns = context.columnsOf(rootSource(context.document));
  return compileNode(entry, type, { ...context, path, columns, optional: false, selections: new Map() });
}

function objectNode(node: MappingNode | undefined): ObjectNode | undefined {
  return node?.kind === "object" ? node : undefined;
}

/** Adds an issue for a required parameter that the mapping omits, and for an unknown parameter. */
export function compileParameters(
  { parameters: entry }: MappingDocument,
  operation: Operation,
  context: CompileContext,
): ObjectNode | undefined {
  const type = parametersType(operation);
  if (type === undefined) {
    if (Object.keys(entry).length === 0) return undefined;
    return context.issues.add(["parameters"], `the requests of the operation "${operation.id}" have no parameters`);
  }
  for (const name of requiredParameters(operation)) {
    if (Object.hasOwn(entry, name)) continue;
    const hint = `set it to a constant, \`parameters: { ${name}: { value: ... } }\`, or to a column, \`parameters: { ${name}: COLUMN }\``;
    context.issues.add(["parameters"], `${operation.method} ${operation.path} needs the parameter "${name}"`, hint);
  }
  return objectNode(compileTopNode({ parameters: entry }, type, [], context));
}

function refuseStep(name: string, { id, steps }: Operation, issues: Issues): void {
  const names = steps.map((step) => step.name);
  const hint = names.length === 0 ? "the operation has no steps" : didYouMean(name, names);
  issues.add(["steps", name], `the operation "${id}" has no such step`, hint);
}

/**
 * Rejects fields that the contract sets, because a mapping must not override them. A dry-run flag, for example, would
 * stop the platform from creating anything.
 */
function refuseSet({ body = {} }: Step, entry: JsonObject, path: AttrPath, issues: Issues): void {
  const values = Object.entries(body).map(([name, source]) => [name, "attr" in source ? null : source.value]);
  refuseSame(Object.fromEntries(values), entry, path, issues);
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
