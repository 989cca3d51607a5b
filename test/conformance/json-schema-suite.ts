import { readdirSync, readFileSync } from "node:fs";
import type { Contract } from "../../src/contract/contract.ts";
import { loadContract } from "../../src/contract/load-contract.ts";
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from "../../src/json/json-value.ts";
import { Failure } from "../../src/model/failure.ts";
import { compileValidator, type FoundProblem } from "../../src/validate/compile-validator.ts";
import { corpus } from "./corpora.ts";
import { documentsFor } from "./suite-documents.ts";

/** The OpenAPI version that uses each draft of JSON Schema. */
const DRAFTS = { "draft2020-12": "3.1.0", draft4: "3.0.3" } as const;
export type Draft = keyof typeof DRAFTS;

/**
 * The result of one case of the suite. `right`: the verdict matches the suite. `policy`: it differs as documented in
 * docs/contract.md for every contract (closed objects, blank text, values that the platform converts). `refused`: the
 * contract has an error with a place. `warned`, `noted`, `silent`: the verdict is wrong, and the contract has a
 * warning, only an `info`, or no finding.
 */
export type Verdict = "right" | "policy" | "refused" | "warned" | "noted" | "silent";

export interface JudgedCase {
  readonly keyword: string;
  readonly title: string;
  readonly verdict: Verdict;
}

/** Runs every case of a draft. The schema of the case becomes the schema of a field. Formats have a separate corpus. */
export function judgeDraft(draft: Draft): readonly JudgedCase[] {
  const folder = corpus("json-schema-suite/tests", draft);
  const files = readdirSync(folder).filter((name) => name.endsWith(".json") && name !== "format.json");
  return files.toSorted().flatMap((file) => {
    const keyword = file.slice(0, -".json".length);
    const groups: JsonValue = JSON.parse(readFileSync(`${folder}/${file}`, "utf8"));
    return objectsIn(groups).flatMap((group) => judgeGroup(keyword, group, DRAFTS[draft]));
  });
}

function objectsIn(value: JsonValue | undefined): readonly JsonObject[] {
  return value !== undefined && isJsonArray(value) ? value.filter(isJsonObject) : [];
}

function judgeGroup(keyword: string, group: JsonObject, openapi: string): readonly JudgedCase[] {
  const contract = compiled(documentOf(group["schema"] ?? {}, openapi));
  const severities = new Set(contract?.findings.map(({ severity }) => severity));
  const body = severities.has("error") ? undefined : contract?.operations[0]?.body;
  const validate = body && compileValidator(body, { keepValues: false });
  return objectsIn(group["tests"]).map((one) => {
    const title = `${keyword}: ${descriptionOf(group)}: ${descriptionOf(one)}`;
    if (validate === undefined) return { keyword, title, verdict: "refused" };
    const problems = validate({ value: one["data"] ?? null });
    const isValid = problems.every(({ severity }) => severity !== "error");
    if (isValid === one["valid"]) return { keyword, title, verdict: "right" };
    if (isPolicy(problems)) return { keyword, title, verdict: "policy" };
    const unwarned = severities.has("info") ? "noted" : "silent";
    return { keyword, title, verdict: severities.has("warning") ? "warned" : unwarned };
  });
}

function descriptionOf({ description }: JsonObject): string {
  return typeof description === "string" ? description : "";
}

/** Returns undefined if the contract cannot be loaded. */
function compiled(text: string): Contract | undefined {
  try {
    return loadContract([{ file: "suite.json", text }]);
  } catch (error) {
    if (error instanceof Failure) return undefined;
    throw error;
  }
}

const POLICY_CODES: ReadonlySet<string> = new Set(["unknown_field", "blank", "coerced"]);

function isPolicy(problems: readonly FoundProblem[]): boolean {
  return problems.length > 0 && problems.every(({ code }) => POLICY_CODES.has(code));
}

/** Puts the schema of the suite into the components of a document, and rewrites its references to `#`. */
function documentOf(schema: JsonValue, openapi: string): string {
  const body = { type: "object", required: ["value"], properties: { value: { $ref: PLACE } } };
  return JSON.stringify({
    openapi,
    info: { title: "A case of the suite", version: "1" },
    paths: {
      "/cases/": {
        post: {
          operationId: "judge",
          "x-migrate-key": "value",
          requestBody: { content: { "application/json": { schema: body } } },
          responses: {
            201: {
              content: {
                "application/json": { schema: { type: "object", properties: { account_number: { type: "string" } } } },
              },
            },
          },
        },
      },
    },
    components: { schemas: { ...(openapi === DRAFTS["draft2020-12"] && documentsFor(schema)), Case: moved(schema) } },
  });
}

const PLACE = "#/components/schemas/Case";

/**
 * Redirects references to the root so that they point to the schema in the document. A schema with an `$id` stays
 * unchanged, because its references are relative to that id.
 */
function moved(schema: JsonValue): JsonValue {
  if (isJsonArray(schema)) return schema.map(moved);
  if (!isJsonObject(schema) || "$id" in schema || "id" in schema) return schema;
  return Object.fromEntries(
    Object.entries(schema).map(([name, member]) => {
      if (name === "enum" || name === "const" || name === "default") return [name, member];
      const isOwn =
        (name === "$ref" || name === "$dynamicRef") &&
        typeof member === "string" &&
        (member === "#" || member.startsWith("#/"));
      return [name, isOwn ? PLACE + member.slice(1) : moved(member)];
    }),
  );
}

const VERDICTS: readonly Verdict[] = ["right", "policy", "refused", "warned", "noted", "silent"];

/** Formats a table with the number of cases per keyword and verdict. */
export function tableOf(cases: readonly JudgedCase[]): string {
  const keywords = [...new Set(cases.map(({ keyword }) => keyword))];
  return [
    `| keyword | cases | ${VERDICTS.join(" | ")} |`,
    `|---|${"---|".repeat(VERDICTS.length + 1)}`,
    ...keywords.map((keyword) =>
      lineOf(
        keyword,
        cases.filter((one) => one.keyword === keyword),
      ),
    ),
    lineOf("all", cases),
  ].join("\n");
}

function lineOf(name: string, cases: readonly JudgedCase[]): string {
  const counts = VERDICTS.map((verdict) => countOf(cases, verdict));
  return `| ${name} | ${cases.length} | ${counts.join(" | ")} |`;
}

export function countOf(cases: readonly JudgedCase[], verdict: Verdict): number {
  return cases.filter((one) => one.verdict === verdict).length;
}
