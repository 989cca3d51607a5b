import { z } from "zod";
import { isJsonObject, type JsonObject } from "../../json/json-value.ts";
import { jsonCopy } from "../../json/parse-json.ts";
import type { SourceDocument } from "../../contract/document/yaml-document.ts";
import { suggestionOr } from "../../text/suggestion.ts";
import { Failure } from "../../model/failure.ts";
import type { AttrPath } from "../../json/attr.ts";
import type { Place } from "../../model/place.ts";
import { ineffectiveSetting } from "../../job/settings/auth-settings.ts";
import type { NamingPlace } from "../../job/settings/naming-place.ts";
import { OPEN_STATES } from "../../ledger/migration-state.ts";
import { isFallback, type OwnerRule } from "../../model/owner.ts";
import { JOB } from "../../options/job-options.ts";
import { LEDGER, REPORT, THREADS } from "../../options/run-options.ts";
import type { FileValues } from "../../options/option-row.ts";
import { fileShape } from "../../options/option-schemas.ts";
import { resolvedPaths } from "../../options/option-values.ts";
import { type Inventory, MIGRATION, OWNER } from "../../options/migration-options.ts";
import { PACE, PLATFORMS, STORE, SUPPLIER, type SuppliersConfig, TARGET } from "../../options/target-options.ts";

export const FILE_SETTINGS: typeof JOB &
  typeof PLATFORMS &
  typeof STORE &
  typeof LEDGER &
  typeof REPORT &
  typeof MIGRATION &
  typeof THREADS = { ...JOB, ...PLATFORMS, ...STORE, ...LEDGER, ...REPORT, ...MIGRATION, ...THREADS };

const suppliersSchema = z.record(z.string(), z.strictObject(fileShape(SUPPLIER)));

const targetSchema = z
  .strictObject({
    ...fileShape(TARGET),
    ...fileShape(PACE),
    suppliers: suppliersSchema.optional(),
  })
  .superRefine(({ auth = {} }, context) => {
    const found = ineffectiveSetting(auth);
    if (found !== undefined) context.addIssue({ code: "custom", path: ["auth", found.name], message: found.reason });
  });

const INVENTORY_TEXT = "expected a file, a file and a column (`{ file, column }`), or a whole number of at least 1";
const inventorySchema = z.union(
  [
    z.number().int().min(1, INVENTORY_TEXT),
    z.string().min(1, INVENTORY_TEXT),
    z.strictObject({ file: z.string().min(1, INVENTORY_TEXT), column: z.string() }),
  ],
  { error: INVENTORY_TEXT },
);

const ownersSchema = z
  .array(
    z.strictObject({
      ...fileShape(OWNER),
      owner: z
        .string()
        .refine((name) => name.trim() !== "", "the name of the owner is empty")
        .describe(OWNER.owner.docs),
      statuses: z
        .array(z.enum(OPEN_STATES))
        .min(1, "expected a list of at least one status")
        .optional()
        .describe(OWNER.statuses.docs),
      columns: z
        .record(z.string(), z.array(z.string()).min(1, "expected a list of at least one string"))
        .refine((columns) => Object.keys(columns).length > 0, "expected at least one column")
        .optional()
        .describe(OWNER.columns.docs),
    }),
  )
  .min(1, "expected at least one owner")
  .superRefine((rules, context) => {
    for (const [index, rule] of rules.entries()) {
      const isLast = index === rules.length - 1;
      if (isFallback(rule) === isLast) continue;
      const message = isLast
        ? "the last owner must have no conditions, because it receives the records that match no other owner"
        : "this owner has no conditions and matches every record, so no owner after it can match";
      context.addIssue({ code: "custom", path: [index, "owner"], message });
    }
  });

const configSchema = z.strictObject({
  ...fileShape(FILE_SETTINGS),
  suppliers: suppliersSchema.optional().describe(PLATFORMS.suppliers.help),
  owners: ownersSchema.optional().describe(MIGRATION.owners.help),
  inventory: inventorySchema.optional().describe(MIGRATION.inventory.help),
  targets: z
    .record(z.string(), targetSchema)
    .refine((targets) => Object.keys(targets).every((name) => name.trim() !== ""), "the name of a target is empty")
    .optional()
    .describe(PLATFORMS.targets.help),
});

/** Returns the JSON Schema of a configuration file, in draft 7 for editors. */
export function configJsonSchema(): JsonObject {
  const schema = jsonCopy(z.toJSONSchema(configSchema, { target: "draft-7", io: "input" }));
  return { title: "migrate.yaml", description: "docs/configuration.md", ...(isJsonObject(schema) ? schema : {}) };
}

export interface TargetConfig extends FileValues<typeof TARGET>, FileValues<typeof PACE> {
  /** Settings of suppliers on this platform. They override the settings in `suppliers` at the top level of the file. */
  readonly suppliers?: SuppliersConfig | undefined;
}

interface WrittenConfig extends Omit<FileValues<typeof FILE_SETTINGS>, keyof typeof MIGRATION> {
  readonly inventory?: Inventory | undefined;
  readonly owners?: readonly OwnerRule[] | undefined;
  readonly suppliers?: SuppliersConfig | undefined;
  readonly targets?: Readonly<Record<string, TargetConfig>> | undefined;
}

/** The validated `migrate.yaml`. Its paths are resolved against its own folder. Flags override its settings. */
export interface Config extends WrittenConfig {
  readonly contract?: readonly string[] | undefined;
  /** The path of the file; absent if there is no file. */
  readonly file?: string | undefined;
  /** Returns the place at which the configuration names a resolved path. */
  readonly placeOf?: NamingPlace | undefined;
  /** Returns the place of a setting, given its path in the file. */
  readonly placeAt?: ((path: AttrPath) => Place) | undefined;
}

/**
 * Validates the content of a configuration file and resolves its paths.
 * @throws Failure `config`, with file and line, for invalid content
 */
export function parseConfig(document: SourceDocument, resolve: (file: string) => string): Config {
  const parsed = configSchema.safeParse(document.value ?? {});
  if (!parsed.success) throw schemaFailure(document, parsed.error.issues);
  const { contract, targets, inventory, ...rest } = resolvedPaths<WrittenConfig>(FILE_SETTINGS, parsed.data, resolve);
  const resolved = Object.entries(targets ?? {}).map(([name, target]) => [
    name,
    resolvedPaths(TARGET, target, resolve),
  ]);
  return {
    ...rest,
    contract: typeof contract === "string" ? [contract] : contract,
    ...(inventory !== undefined && { inventory: resolvedInventory(inventory, resolve) }),
    ...(targets && { targets: Object.fromEntries(resolved) }),
  };
}

function resolvedInventory(inventory: Inventory, resolve: (file: string) => string): Inventory {
  if (typeof inventory === "number") return inventory;
  return typeof inventory === "string" ? resolve(inventory) : { ...inventory, file: resolve(inventory.file) };
}

type Issue = z.core.$ZodIssue;

/**
 * Returns the failure for the first issue. Unknown settings come first, because a misspelt name is often the reason why
 * another setting is missing.
 */
function schemaFailure({ file, pointOf }: SourceDocument, issues: readonly Issue[]): Failure {
  const issue = issues.find(({ code }) => code === "unrecognized_keys") ?? issues[0];
  const within = (issue?.path ?? []).map((part) => (typeof part === "number" ? part : String(part)));
  const unknown = issue?.code === "unrecognized_keys" ? issue.keys[0] : undefined;
  const path = unknown === undefined ? within : [...within, unknown];
  const { line, column, excerpt } = pointOf(path);
  const message =
    unknown === undefined
      ? `${path.length > 0 ? `${path.join(".")}: ` : ""}${issueText(issue)}`
      : `unknown setting "${path.join(".")}"`;
  return new Failure("config", `${file}:${line}:${column}: ${message}`, {
    place: { file, line },
    hint: [excerpt, hintFor(unknown, within)].filter((part) => part !== undefined).join("\n") || undefined,
  });
}

function issueText(issue: Issue | undefined): string {
  if (issue?.code === "invalid_type") return `expected ${EXPECTED_TEXT[issue.expected] ?? issue.expected}`;
  if (issue?.code === "invalid_value") return `expected one of ${issue.values.join(", ")}`;
  return issue?.message ?? "the value is not valid";
}

const EXPECTED_TEXT: Readonly<Record<string, string>> = {
  array: "a list",
  string: "a string",
  int: "a whole number",
  number: "a number",
  object: "an object with named settings",
  record: "an object with named settings",
};

/** Returns a hint for an unknown setting: a similar name, or the valid names at its position. */
function hintFor(unknown: string | undefined, within: readonly (string | number)[]): string | undefined {
  if (unknown === undefined) return undefined;
  const known = Object.keys(shapeAt(configSchema, within));
  return suggestionOr(`valid names here: ${known.join(", ")}`, unknown, known);
}

function shapeAt(schema: z.core.$ZodType | undefined, [name, ...below]: readonly (string | number)[]): object {
  if (schema instanceof z.ZodOptional) return shapeAt(schema.unwrap(), name === undefined ? [] : [name, ...below]);
  if (schema instanceof z.ZodArray) return shapeAt(schema.element, below);
  if (schema instanceof z.ZodRecord) return shapeAt(schema.valueType, below);
  if (!(schema instanceof z.ZodObject)) return {};
  const shape: Readonly<Record<string, z.core.$ZodType>> = schema.shape;
  return name === undefined ? shape : shapeAt(shape[name], below);
}
