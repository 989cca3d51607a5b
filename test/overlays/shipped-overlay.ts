import { readFileSync } from "node:fs";
import path from "node:path";
import { parse, stringify } from "yaml";
import { z } from "zod";
import type { SourceText } from "../../src/contract/document/text-excerpt.ts";
import { loadContract } from "../../src/contract/load-contract.ts";
import type { Contract } from "../../src/contract/contract.ts";

/** The operators with a shipped overlay. The `shared` overlay is applied first. */
export const OPERATORS = ["gb", "au"] as const;
export type Operator = (typeof OPERATORS)[number];

/** A rule of a shipped overlay, with the schemas that its action targets. A document may lack some of these schemas. */
export interface WrittenRule {
  readonly code: string;
  readonly schemas: readonly string[];
  /** For example `shared.yaml: action 3, rule 1`. */
  readonly place: string;
}

const FOLDER = path.resolve(import.meta.dirname, "../../src/overlays");

export function overlayTexts(operator: Operator): readonly SourceText[] {
  return ["shared", operator].map((name) => overlayText(name));
}

function overlayText(name: string): SourceText {
  return { file: `${name}.yaml`, text: readFileSync(path.join(FOLDER, `${name}.yaml`), "utf8") };
}

const overlaySchema = z.object({
  actions: z.array(
    z.object({
      target: z.string(),
      update: z.looseObject({ "x-rules": z.array(z.looseObject({ code: z.string() })).default([]) }).optional(),
    }),
  ),
});

const written = new Map<string, readonly WrittenRule[]>();

export function writtenRules(name: string): readonly WrittenRule[] {
  const rules = written.get(name) ?? parseRules(name);
  written.set(name, rules);
  return rules;
}

function parseRules(name: string): readonly WrittenRule[] {
  const { actions } = overlaySchema.parse(parse(overlayText(name).text));
  return actions.flatMap(({ target, update }, action) =>
    (update?.["x-rules"] ?? []).map(({ code }, rule) => ({
      code,
      schemas: schemasOf(target),
      place: `${name}.yaml: action ${action + 1}, rule ${rule + 1}`,
    })),
  );
}

/** Extracts the names from `$.components.schemas.X` or `$.components.schemas['X', 'Y']`. */
function schemasOf(target: string): readonly string[] {
  const [, plain, list] = /^\$\.components\.schemas(?:\.([\w-]+)|\[([^\]]+)\])$/.exec(target) ?? [];
  return plain === undefined ? [...(list ?? "").matchAll(/["']([^"']+)["']/g)].map(([, name]) => name ?? "") : [plain];
}

/**
 * Returns a contract with the operator's overlays and only the schemas that they have rules for. Each schema is open,
 * and has an operation of the same name.
 */
export function contractOfRules(operator: Operator): Contract {
  const names = new Set(rulesOf(operator).flatMap(({ schemas }) => schemas));
  return loadContract([documentOf(names), ...overlayTexts(operator)]);
}

/** Returns the shared rules, then the operator's own rules. */
export function rulesOf(operator: Operator): readonly WrittenRule[] {
  return ["shared", operator].flatMap(writtenRules);
}

export function withOnly(contract: Contract, schema: string, rule: number): Contract {
  const operations = contract.operations.map((operation) => {
    const { id, body } = operation;
    const only = body?.rules?.[rule];
    return id === schema && body !== undefined && only !== undefined
      ? { ...operation, body: { ...body, rules: [only] } }
      : operation;
  });
  return { ...contract, operations };
}

function documentOf(schemas: Iterable<string>): SourceText {
  const names = [...schemas];
  const all = Object.fromEntries(names.map((name) => [name, { type: "object", additionalProperties: true }]));
  return {
    file: "schemas.yaml",
    text: stringify({
      openapi: "3.0.3",
      info: { title: "Schemas", version: "1" },
      paths: pathsOf(names),
      components: { schemas: all },
    }),
  };
}

/** Returns an overlay that adds an operation of the same name for each schema. */
export function operationsFor(schemas: Iterable<string>): SourceText {
  return overlayOf({ paths: pathsOf(schemas) });
}

function pathsOf(schemas: Iterable<string>): object {
  return Object.fromEntries([...schemas].map((name) => [`/schemas/${name}/`, { post: operationOf(name) }]));
}

function operationOf(name: string): object {
  const schema = { $ref: `#/components/schemas/${name}` };
  return {
    operationId: name,
    requestBody: { content: { "application/json": { schema } } },
    responses: { 201: { description: "Taken" } },
  };
}

function overlayOf(update: object): SourceText {
  return {
    file: "test-overlay.yaml",
    text: stringify({ overlay: "1.0.0", info: { title: "Test", version: "1" }, actions: [{ target: "$", update }] }),
  };
}
