import { z } from "zod";
import { parseAttr, type AttrPath } from "../model/attr.ts";
import type { JsonObject } from "../model/json.ts";
import type { Findings } from "./findings.ts";
import type { ItemRule, OutcomeRule } from "./outcome-rule.ts";
import type { PlainOperation } from "./plain-operation.ts";
import { present } from "../model/present.ts";
import { suggest } from "../model/suggest.ts";

/** What an operation's `x-migrate-...` keys say, as far as they are well-formed. */
export type OperationExtensions = Pick<PlainOperation, "key" | "wrap" | "dedupes" | "outcomes" | "items" | "supplier">;

/** Reads them; a value of the wrong shape is a finding of severity `error` and left out. */
export function readExtensions(operation: JsonObject, path: AttrPath, findings: Findings): OperationExtensions {
  const read = <Value>(name: string, schema: z.ZodType<Value>): Value | undefined =>
    readExtension(name, schema, { operation, path, findings });
  for (const name of Object.keys(operation)) checkName(name, [...path, name], findings);
  const wrap = read("x-migrate-wrap", wrapSchema);
  const items = read("x-migrate-items", itemsSchema);
  return {
    dedupes: read("x-migrate-dedupe", dedupeSchema) !== undefined,
    outcomes: read("x-migrate-outcomes", outcomesSchema) ?? [],
    ...present({
      key: read("x-migrate-key", attrSchema),
      wrap: wrap === false ? undefined : wrap,
      items: items === false ? [] : items,
      supplier: read("x-migrate-supplier", attrSchema),
    }),
  };
}

/** An operation as the document writes it. */
export interface WrittenOperation {
  readonly operation: JsonObject;
  readonly path: AttrPath;
  readonly findings: Findings;
}

/** The value of one extension; undefined where there is none, or, with a finding at its place, one of the wrong shape. */
export function readExtension<Value>(
  name: string,
  schema: z.ZodType<Value>,
  { operation, path, findings }: WrittenOperation,
): Value | undefined {
  if (!Object.hasOwn(operation, name)) return undefined;
  const value = schema.safeParse(operation[name]);
  if (value.success) return value.data;
  for (const issue of value.error.issues) {
    const spot = issue.path.filter((part) => typeof part !== "symbol");
    findings.add("error", "bad-extension", `${name}: ${lowerFirst(issue.message)}`, [...path, name, ...spot]);
  }
  return undefined;
}

/** An attr, as the path that it names. */
export const attrSchema: z.ZodType<AttrPath> = z
  .string("must be the attr of a field, such as external_account_number")
  .min(1, "must not be empty")
  .transform(parseAttr);
const wrapSchema = z.union([z.string().min(1), z.literal(false)], 'must be the name of a field, or "false"');
const dedupeSchema = z.literal("business-key", 'must be "business-key", or left out');

const STATUS_WORDS = "must be a status such as 201, or one of 2xx, 4xx, 5xx";

const statusSchema = z.union(
  [z.int().min(100, STATUS_WORDS).max(599, STATUS_WORDS), z.enum(["2xx", "4xx", "5xx"])],
  STATUS_WORDS,
);

/** `x-migrate-outcomes` */
export const outcomesSchema: z.ZodType<readonly OutcomeRule[]> = z
  .array(
    z.strictObject({
      status: statusSchema,
      code: z.string().min(1).optional(),
      has: attrSchema.optional(),
      outcome: z.enum(
        ["accepted", "rejected", "blocked", "retry", "ambiguous"],
        "must be one of accepted, rejected, blocked, retry, ambiguous",
      ),
      account: attrSchema.optional(),
    }),
    "must be a list of rules",
  )
  .transform((rules): readonly OutcomeRule[] =>
    rules.map(({ status, outcome, ...rest }) => ({ status, outcome, ...present(rest) })),
  );

const FAILED_WORDS = "must be a list of statuses, such as TRANSACTION_IMPORT_ERROR";

const itemsSchema = z.union(
  [
    z.literal(false),
    z
      .array(
        z.strictObject({
          at: attrSchema.optional(),
          attr: attrSchema.optional(),
          status: z.string().min(1).default("status"),
          failed: z.array(z.string().min(1), FAILED_WORDS).min(1, FAILED_WORDS),
        }),
      )
      .transform((rules): readonly ItemRule[] =>
        rules.map(({ at, attr, status, failed }) => ({ at: at ?? [], status, failed, ...present({ attr }) })),
      ),
  ],
  'must be a list of rules with "failed" statuses, or "false"',
);

function checkName(name: string, path: AttrPath, findings: Findings): void {
  if (KNOWN.has(name)) return;
  const near = suggest(
    name,
    [...KNOWN].filter((known) => known.startsWith("x-") === name.startsWith("x-")),
  );
  if (name.startsWith("x-") && near === undefined) findings.count(name, path);
  else {
    const hint = near === undefined ? "" : `; did you mean "${near}"?`;
    findings.add("warning", "unknown-keyword", `"${name}" is not part of an operation${hint}`, path);
  }
}

/** OpenAPI 3.0.3 and 3.1.0, Operation Object; and our own. */
const KNOWN: ReadonlySet<string> = new Set([
  "tags",
  "summary",
  "description",
  "externalDocs",
  "operationId",
  "parameters",
  "requestBody",
  "responses",
  "callbacks",
  "deprecated",
  "security",
  "servers",
  "x-migrate-key",
  "x-migrate-wrap",
  "x-migrate-dedupe",
  "x-migrate-outcomes",
  "x-migrate-items",
  "x-migrate-supplier",
  "x-migrate-steps",
  "x-migrate-poll",
  "x-migrate-read-back",
]);

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}
