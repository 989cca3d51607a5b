import type { Operation } from "../contract/contract.ts";
import { stepFieldsType } from "../contract/step-fields.ts";
import type { Step } from "../contract/workflow.ts";
import type { AttrPath } from "../model/attr.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../model/json.ts";
import { compileNode, type CompileParts } from "./compile-node.ts";
import type { MappingDocument } from "./mapping-document.ts";
import { didYouMean, type Issues } from "./mapping-issues.ts";
import type { MappingNode, ObjectNode } from "./mapping-node.ts";
import { rootSource } from "./source-plan.ts";

/** What a mapping gives to the bodies of steps, by the step's name. */
export type StepNodes = ReadonlyMap<string, ObjectNode>;

/** Adds an issue for a step that the operation does not have, and for what a step's body cannot be given. */
export function compileSteps(document: MappingDocument, operation: Operation, parts: CompileParts): StepNodes {
  const nodes = [...document.steps].flatMap(([name, entry]) => {
    const step = operation.steps.find((one) => one.name === name);
    const node = step && compileStep(step, entry, parts);
    if (step === undefined) refuseStep(name, operation, parts.issues);
    return node === undefined ? [] : [[name, node] as const];
  });
  return new Map(nodes);
}

function compileStep(step: Step, entry: JsonObject, parts: CompileParts): ObjectNode | undefined {
  const path = ["steps", step.name];
  const type = stepFieldsType(step);
  if (type === undefined) {
    parts.issues.add(path, "takes the payload and nothing else");
    return undefined;
  }
  refuseSet(step, entry, path, parts.issues);
  const columns = parts.columnsOf(rootSource(parts.document));
  const node = compileNode(entry, type, { ...parts, path, columns, optional: false });
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
    if ("attr" in source) issues.add([...path, name], IS_SET);
    else refuseSame(source.value, value, [...path, name], issues);
  }
}

function refuseSame(set: JsonValue, entry: JsonValue, path: AttrPath, issues: Issues): void {
  if (!isJsonObject(set) || !isJsonObject(entry)) {
    issues.add(path, IS_SET);
    return;
  }
  for (const [name, value] of Object.entries(entry)) {
    const member = set[name];
    if (member !== undefined) refuseSame(member, value, [...path, name], issues);
  }
}

const IS_SET = "is set by the contract's step (`x-migrate-steps`)";

/** The node that an attr belongs to: of the payload, unless only a step has such a field. */
export function nodeWith([field]: AttrPath, payload: MappingNode, steps: StepNodes): MappingNode {
  const has = (node: ObjectNode): boolean => node.fields.some(({ name }) => name === field);
  if (steps.size === 0 || payload.kind !== "object" || has(payload)) return payload;
  return [...steps.values()].find(has) ?? payload;
}
