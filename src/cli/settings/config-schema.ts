import { z } from "zod";
import { isJsonObject, type JsonObject } from "../../json/json-value.ts";
import { jsonCopy } from "../../json/parse-json.ts";
import type { SourceDocument } from "../../contract/document/yaml-document.ts";
import { suggestionOr } from "../../text/suggestion.ts";
import { Failure } from "../../model/failure.ts";
import { FUNCTION_TIMEOUT } from "../../job/functions/function-timeout.ts";
import { authSchema } from "../../job/settings/auth-schema.ts";
import type { RuleSettings } from "../../job/settings/rule-configuration.ts";
import type { NamingPlace } from "../../job/settings/naming-place.ts";
import type { OptionTable } from "../options/option-table.ts";
import { MOST_THREADS } from "../options/option-values.ts";
import { type ConfigurableFlags, OPTIONS } from "../options/options.ts";
import { type SupplierSettings } from "../../job/settings/supplier-settings.ts";
import { SUPPLIER_STATUSES } from "../../model/supplier-status.ts";
import type { AuthSettings, TimeoutSettings } from "../../job/settings/platform-settings.ts";

const supplierSchema = z.strictObject({
  rootLocation: z.string().optional(),
  bucket: z.string().optional(),
  expectedStatus: z.enum(SUPPLIER_STATUSES).optional(),
});

const suppliersSchema = z.record(z.string(), supplierSchema);

const seconds = z.number().positive().max(3600).optional();
const timeoutsSchema = z.strictObject({
  connectSeconds: seconds,
  headersSeconds: seconds,
  bodySeconds: seconds,
  wholeSeconds: seconds,
  quietSeconds: z.number().min(0).max(86_400).optional(),
});

const targetSchema = z.strictObject({
  baseUrl: z.string(),
  ca: z.string().optional(),
  proxy: z.string().optional(),
  timeouts: timeoutsSchema.optional(),
  supplier: z.string().optional(),
  suppliers: suppliersSchema.optional(),
  environment: z.enum(["test", "production"]).optional(),
  maxConcurrency: z.number().int().min(1).max(1024).optional(),
  rps: z.number().positive().optional(),
  auth: authSchema.optional(),
});

const storeSchema = z.strictObject({
  location: z.string().optional(),
  endpoint: z.string().optional(),
  region: z.string().optional(),
  ca: z.string().optional(),
  credentialsFile: z.string().optional(),
});
const functionTimeout = z.number().min(FUNCTION_TIMEOUT.least).max(FUNCTION_TIMEOUT.most).optional();
const settingSchema = z.union([z.boolean(), z.number(), z.string(), z.array(z.string())]);

/** The settings that flags can also set: the option rows with `config`. */
function configurableShape(): { readonly [Name in keyof ConfigurableFlags]-?: z.ZodType<Written[Name]> };
function configurableShape(): Readonly<Record<string, z.ZodType>> {
  const rows: OptionTable = OPTIONS;
  const configurable = Object.entries(rows).filter(([, row]) => row.config);
  return Object.fromEntries(
    configurable.map(([name, { kind, help }]) => [
      name,
      (kind === "list" ? texts : kind === "threads" ? threadCount : z.string()).optional().describe(help),
    ]),
  );
}

const texts = z.union([z.string(), z.array(z.string())]);
const threadCount = z.union([z.literal("auto"), z.number().int().min(1).max(MOST_THREADS)]);

/** A setting that is a list may be written as a single string. */
type Written = {
  readonly [Name in keyof ConfigurableFlags]-?:
    | ConfigurableFlags[Name]
    | (ConfigurableFlags[Name] extends readonly string[] | undefined ? string : never)
    | undefined;
};

const configSchema = z.strictObject({
  ...configurableShape(),
  suppliers: suppliersSchema.optional().describe("import suppliers by code"),
  documentRoot: z.string().optional().describe("root location of suppliers without their own"),
  store: storeSchema.optional().describe("location of documents"),
  functionTimeout: functionTimeout.describe("time limit for one call of a mapping function, in seconds"),
  rules: z.record(z.string(), settingSchema).optional().describe("instance settings used by rules"),
  references: z.record(z.string(), z.string()).optional().describe("reference lists: name and file"),
  targets: z.record(z.string(), targetSchema).optional().describe("platforms by name"),
});

/** The JSON Schema of a configuration file, in draft 7 for editors. */
export function configJsonSchema(): JsonObject {
  const schema = jsonCopy(z.toJSONSchema(configSchema, { target: "draft-7", io: "input" }));
  return { title: "migrate.yaml", description: "docs/configuration.md", ...(isJsonObject(schema) ? schema : {}) };
}

/** The location of documents. */
interface StoreConfig {
  /** A folder, or `s3://bucket`. */
  readonly location?: string | undefined;
  readonly endpoint?: string | undefined;
  readonly region?: string | undefined;
  readonly ca?: string | undefined;
  readonly credentialsFile?: string | undefined;
}

/** Import suppliers by code. */
type SuppliersConfig = Readonly<Record<string, SupplierSettings>>;

/** A platform in the configuration file. */
export interface TargetConfig {
  readonly baseUrl: string;
  readonly ca?: string | undefined;
  readonly supplier?: string | undefined;
  /** Settings for this platform. Each one overrides the file's setting for the same supplier. */
  readonly suppliers?: SuppliersConfig | undefined;
  /** The proxy for requests. Default: no proxy. */
  readonly proxy?: string | undefined;
  readonly timeouts?: TimeoutSettings | undefined;
  /** `production` requires --yes or typing the host name. */
  readonly environment?: "test" | "production" | undefined;
  /** Maximum number of requests in flight for `--concurrency auto`. */
  readonly maxConcurrency?: number | undefined;
  readonly rps?: number | undefined;
  readonly auth?: AuthSettings | undefined;
}

/** The validated `migrate.yaml`. Its paths are resolved against its own folder. */
export interface Config extends ConfigurableSettings {
  /** Path of the file. Absent if there is none. */
  readonly file?: string | undefined;
  /** Position in the configuration where a path is named, by the resolved path. */
  readonly placeOf?: NamingPlace | undefined;
  readonly suppliers?: SuppliersConfig | undefined;
  /** The root location of suppliers without their own setting. */
  readonly documentRoot?: string | undefined;
  readonly store?: StoreConfig | undefined;
  /** Time limit for one call of a mapping function, in seconds. */
  readonly functionTimeout?: number | undefined;
  /** Instance settings that rules over several fields depend on. */
  readonly rules?: RuleSettings["rules"];
  /** Reference lists: name -> file. */
  readonly references?: RuleSettings["references"];
  readonly targets?: Readonly<Record<string, TargetConfig>> | undefined;
}

/** Settings that flags can also set. A flag overrides the file. */
type ConfigurableSettings = { readonly [Name in keyof ConfigurableFlags]: ConfigurableFlags[Name] | undefined };

/** The configuration in the form it is written in the file. */
export type WrittenConfig = Omit<Config, "file" | "placeOf" | "contract"> & {
  readonly contract?: string | readonly string[] | undefined;
};

/**
 * Validates the content of a configuration file.
 * @throws Failure `config`, with file and line, for invalid content
 */
export function parseConfig(document: SourceDocument): WrittenConfig {
  const parsed = configSchema.safeParse(document.value ?? {});
  if (parsed.success) return parsed.data;
  throw schemaFailure(document, parsed.error.issues);
}

type Issue = z.core.$ZodIssue;

/** Reports an unknown setting first, because a misspelt name is often the reason why another setting is missing. */
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
  if (issue?.code === "invalid_union") return "a string or a list of strings is expected";
  if (issue?.code === "invalid_type") return `${EXPECTED_TEXT[issue.expected] ?? issue.expected} expected`;
  if (issue?.code === "invalid_value") return `one of ${issue.values.join(", ")} is expected`;
  return issue?.message ?? "not understood";
}

const EXPECTED_TEXT: Readonly<Record<string, string>> = {
  string: "a string is",
  number: "a number is",
  object: "settings with their names are",
  record: "settings with their names are",
};

/** Lists the settings that are valid at this place. */
function hintFor(unknown: string | undefined, within: readonly (string | number)[]): string | undefined {
  if (unknown === undefined) return undefined;
  const known = Object.keys(shapeAt(configSchema, within));
  return suggestionOr(`valid names here: ${known.join(", ")}`, unknown, known);
}

function shapeAt(schema: z.core.$ZodType | undefined, [name, ...below]: readonly (string | number)[]): object {
  if (schema instanceof z.ZodOptional) return shapeAt(schema.unwrap(), name === undefined ? [] : [name, ...below]);
  if (schema instanceof z.ZodRecord) return shapeAt(schema.valueType, below);
  if (!(schema instanceof z.ZodObject)) return {};
  const shape: Readonly<Record<string, z.core.$ZodType>> = schema.shape;
  return name === undefined ? shape : shapeAt(shape[name], below);
}
