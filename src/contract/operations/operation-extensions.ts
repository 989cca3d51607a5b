import { z } from "zod";
import { type AttrPath, parseAttr } from "../../json/attr.ts";
import { definedMembers } from "../../json/defined-members.ts";
import type { JsonValue } from "../../json/json-value.ts";
import { lowerFirst } from "../../text/letter-case.ts";
import { didYouMean } from "../../text/suggestion.ts";
import type { Findings } from "../contract-findings.ts";
import type { DocumentPart } from "./document-part.ts";
import {
  type BodySource,
  type ItemRule,
  type OperationExtensions,
  type OutcomeRule,
  type Poll,
  type ReadBack,
  STEP_KINDS,
  type StepRequest,
} from "./operation.ts";

/** Reads the extensions. Adds a finding of severity `error` for an invalid value, and omits the value. */
export function readExtensions(operation: DocumentPart, findings: Findings): OperationExtensions {
  const read = <Value>(name: string, schema: z.ZodType<Value>): Value | undefined =>
    readExtension(name, schema, operation, findings);
  for (const name of Object.keys(operation.value)) checkKey(name, [...operation.path, name], findings);
  const wrap = read("x-migrate-wrap", wrapSchema);
  const items = read("x-migrate-items", itemsSchema);
  return {
    dedupesByKey: read("x-migrate-dedupe", dedupeSchema) !== undefined,
    outcomes: read("x-migrate-outcomes", outcomesSchema) ?? [],
    ...definedMembers({
      key: read("x-migrate-key", attrSchema),
      wrap: wrap === false ? undefined : wrap,
      items: items === false ? [] : items,
      supplier: read("x-migrate-supplier", attrSchema),
    }),
  };
}

/** Returns the value of an extension; undefined if it is absent or malformed. Adds a finding for a malformed value. */
export function readExtension<Value>(
  name: string,
  schema: z.ZodType<Value>,
  { value: operation, path }: DocumentPart,
  findings: Findings,
): Value | undefined {
  if (!Object.hasOwn(operation, name)) return undefined;
  const { success, data, error } = schema.safeParse(operation[name]);
  if (success) return data;
  for (const issue of error.issues) {
    const location = issue.path.filter((part) => typeof part !== "symbol");
    findings.add("error", "bad-extension", `${name}: ${lowerFirst(issue.message)}`, [...path, name, ...location]);
  }
  return undefined;
}

const attrSchema: z.ZodType<AttrPath> = z
  .string("must be the attr of a field, such as external_account_number")
  .min(1, "must not be empty")
  .transform(parseAttr);
const wrapSchema = z.union([z.string().min(1), z.literal(false)], "must be the name of a field, or false");
const dedupeSchema = z.literal("business-key", 'must be "business-key", or omitted');

const STATUS_WORDS = "must be a status such as 201, or one of 2xx, 4xx, 5xx";

const statusSchema = z.union(
  [z.int().min(100, STATUS_WORDS).max(599, STATUS_WORDS), z.enum(["2xx", "4xx", "5xx"])],
  STATUS_WORDS,
);

/** A code or a status in a reply. A number or a boolean in a reply is compared as text. */
const codeSchema = z
  .union([z.string().min(1), z.number(), z.boolean()], "must be text, a number, true or false")
  .transform(String);

const outcomesSchema: z.ZodType<readonly OutcomeRule[]> = z
  .array(
    z.strictObject({
      status: statusSchema,
      code: codeSchema.optional(),
      has: attrSchema.optional(),
      outcome: z.enum(
        ["accepted", "exists", "rejected", "blocked", "retry", "ambiguous"],
        "must be one of accepted, exists, rejected, blocked, retry, ambiguous",
      ),
      account: attrSchema.optional(),
    }),
    "must be a list of rules",
  )
  .transform((rules): readonly OutcomeRule[] =>
    rules.map(({ status, outcome, ...rest }) => ({ status, outcome, ...definedMembers(rest) })),
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
          failed: z.array(codeSchema, FAILED_WORDS).min(1, FAILED_WORDS),
        }),
      )
      .transform((rules): readonly ItemRule[] =>
        rules.map(({ at, attr, status, failed }) => ({ at: at ?? [], status, failed, ...definedMembers({ attr }) })),
      ),
  ],
  'must be a list of rules with "failed" statuses, or false',
);

function checkKey(name: string, path: AttrPath, findings: Findings): void {
  if (KNOWN_KEYS.has(name)) return;
  const hint = didYouMean(
    name,
    [...KNOWN_KEYS].filter((known) => known.startsWith("x-") === name.startsWith("x-")),
  );
  if (name.startsWith("x-") && hint === "") findings.countExtension(name, path);
  else findings.add("warning", "unknown-keyword", `"${name}" is not part of an operation${hint}`, path);
}

/** Keys of an operation: of the Operation Object (OpenAPI 3.0.3 and 3.1.0), and the extensions of this program. */
const KNOWN_KEYS: ReadonlySet<string> = new Set([
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

/** A step as declared in an operation, where references to other operations are unresolved names. */
export interface WrittenStep extends StepRequest {
  readonly operation: string;
  readonly outcomes: readonly OutcomeRule[];
  readonly reasons?: string;
}

const operationName = z.string("must be the name of an operation").min(1, "must be the name of an operation");
const attrsByName = z.record(z.string(), attrSchema);
const seconds = z.number("must be a number of seconds").positive("must be more than 0");
const jsonSchema: z.ZodType<JsonValue> = z.json();

const bodySource = z.union(
  [attrSchema.transform((attr): BodySource => ({ attr })), z.strictObject({ value: jsonSchema })],
  "must be the attr of a field in the payload, or { value: ... }",
);

export const stepsSchema: z.ZodType<readonly WrittenStep[]> = z
  .array(
    z.strictObject({
      operation: operationName,
      kind: z.enum(STEP_KINDS, `must be one of ${STEP_KINDS.join(", ")}`),
      name: z.string().min(1).optional(),
      body: z.record(z.string(), bodySource).optional(),
      outcomes: outcomesSchema.optional(),
      reasons: operationName.optional(),
    }),
    "must be a list of steps",
  )
  .min(1, "must have at least one step")
  .transform((steps) =>
    steps.map(({ name, body, outcomes = [], reasons, ...step }) => ({
      ...step,
      name: name ?? step.kind,
      outcomes,
      ...definedMembers({ body, reasons }),
    })),
  );

const DEFAULT_INTERVAL_SECONDS = 5;
const DEFAULT_PATIENCE_SECONDS = 600;

const statusOutcomes = z.record(
  z.string(),
  z.enum(["accepted", "rejected", "absent", "pending"], "must be one of accepted, rejected, absent, pending"),
);

export const pollSchema: z.ZodType<Poll<string>> = z
  .strictObject({
    operation: operationName,
    parameters: attrsByName.default({}),
    interval: seconds.default(DEFAULT_INTERVAL_SECONDS),
    patience: seconds.default(DEFAULT_PATIENCE_SECONDS),
    status: attrSchema,
    outcomes: statusOutcomes,
    account: attrSchema.optional(),
    error: attrSchema.optional(),
  })
  .transform(({ account, error, ...poll }) => ({ ...poll, ...definedMembers({ account, error }) }));

const listSchema = z
  .union([z.literal(true), z.string().min(1)], "must be true (the reply is the list), or the path of the list")
  .transform((list): AttrPath => (list === true ? [] : parseAttr(list)));

export const readBackSchema: z.ZodType<readonly ReadBack<string>[]> = z.array(
  z
    .strictObject({
      operation: operationName,
      parameters: attrsByName.default({}),
      list: listSchema.optional(),
      match: attrsByName.default({}),
      has: attrSchema.optional(),
      account: attrSchema.optional(),
      status: attrSchema.optional(),
      outcomes: statusOutcomes.optional(),
      absent: z.literal("resend", 'must be "resend", or omitted').optional(),
    })
    .refine(
      ({ status, outcomes }) => (status === undefined) === (outcomes === undefined),
      'must have both "status" and "outcomes", or neither',
    )
    .transform(({ list, match, has, account, status, outcomes, absent, ...readBack }) => ({
      ...readBack,
      provesAbsence: absent === "resend",
      match: Object.entries(match).map(([reply, payload]) => ({ reply: parseAttr(reply), payload })),
      ...definedMembers({ list, has, account, status, outcomes }),
    })),
  "must be a list of lookups",
);
