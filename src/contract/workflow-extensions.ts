import { z } from "zod";
import { type AttrPath, parseAttr } from "../model/attr.ts";
import type { JsonValue } from "../model/json.ts";
import { attrSchema, outcomesSchema } from "./operation-extensions.ts";
import type { OutcomeRule } from "./outcome-rule.ts";
import { type BodySource, type Poll, type ReadBack, type Step, STEP_KINDS } from "./workflow.ts";

/** As an operation declares them: other operations are still names. */
export type WrittenStep = Omit<Step, "operation" | "reasons" | "poll"> & {
  readonly operation: string;
  readonly outcomes: readonly OutcomeRule[];
  readonly reasons?: string;
};
export type WrittenPoll = Omit<Poll, "operation"> & { readonly operation: string };
export type WrittenReadBack = Omit<ReadBack, "operation"> & { readonly operation: string };

const operationName = z.string("must be the name of an operation").min(1, "must be the name of an operation");
const attrsByName = z.record(z.string(), attrSchema);
const seconds = z.number("must be a number of seconds").positive("must be more than 0");
const jsonSchema: z.ZodType<JsonValue> = z.json();

const bodySource = z.union(
  [attrSchema.transform((attr): BodySource => ({ attr })), z.strictObject({ value: jsonSchema })],
  "must be the attr of a field of the payload, or { value: ... }",
);

/** `x-migrate-steps` */
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
      ...(body !== undefined && { body }),
      ...(reasons !== undefined && { reasons }),
    })),
  );

const DEFAULT_INTERVAL = 5;
const DEFAULT_PATIENCE = 600;

/** `x-migrate-poll` */
export const pollSchema: z.ZodType<WrittenPoll> = z
  .strictObject({
    operation: operationName,
    parameters: attrsByName.default({}),
    interval: seconds.default(DEFAULT_INTERVAL),
    patience: seconds.default(DEFAULT_PATIENCE),
    status: attrSchema,
    outcomes: z.record(
      z.string(),
      z.enum(["accepted", "rejected", "absent"], "must be one of accepted, rejected, absent"),
    ),
    account: attrSchema.optional(),
    error: attrSchema.optional(),
  })
  .transform(({ account, error, ...poll }) => ({
    ...poll,
    ...(account !== undefined && { account }),
    ...(error !== undefined && { error }),
  }));

const listSchema = z
  .union([z.literal(true), z.string().min(1)], "must be true (the reply is the list), or where the list stands")
  .transform((list): AttrPath => (list === true ? [] : parseAttr(list)));

/** `x-migrate-read-back` */
export const readBackSchema: z.ZodType<readonly WrittenReadBack[]> = z.array(
  z
    .strictObject({
      operation: operationName,
      parameters: attrsByName.default({}),
      list: listSchema.optional(),
      match: attrsByName.default({}),
      has: attrSchema.optional(),
      account: attrSchema.optional(),
      absent: z.literal("resend", 'must be "resend", or left out').optional(),
    })
    .transform(({ list, match, has, account, absent, ...readBack }) => ({
      ...readBack,
      provesAbsence: absent === "resend",
      match: Object.entries(match).map(([reply, payload]) => ({ reply: parseAttr(reply), payload })),
      ...(list !== undefined && { list }),
      ...(has !== undefined && { has }),
      ...(account !== undefined && { account }),
    })),
  "must be a list of operations that read back",
);
