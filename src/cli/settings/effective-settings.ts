import { DEFAULT_FUNCTION_TIMEOUT } from "../../job/functions/function-messages.ts";
import { timeoutSettings } from "../../job/target-connection.ts";
import type { AttrPath } from "../../json/attr.ts";
import { type JsonValue, isJsonArray, isJsonObject, memberAt, valueAt } from "../../json/json-value.ts";
import { maskAddress } from "../../text/mask-address.ts";
import { secretOrigins } from "../../runtime/read-credentials.ts";
import { CREDENTIAL_VARIABLES, STORE_CREDENTIAL_VARIABLES } from "../options/credential-variables.ts";
import type { OptionOrigin } from "../options/option-origin.ts";
import type { Flags } from "../options/options.ts";
import type { LocatedConfig } from "./config-file.ts";
import type { Config } from "./config-schema.ts";
import { type Settings, targetNameOf } from "./settings.ts";
import { storeSettingsOf } from "./store-settings.ts";

export interface EffectiveSetting {
  /** The name in the configuration file, such as `targets.test.baseUrl`. */
  readonly name: string;
  /** Absent if the setting has neither a value nor a default. */
  readonly value?: JsonValue;
  readonly origin: SettingOrigin;
}

export type SettingOrigin =
  | OptionOrigin
  | { readonly kind: "file"; readonly file: string; readonly line: number }
  /** `file`: the path of a private file that contains a credential. */
  | { readonly kind: "secret-file"; readonly file: string }
  | { readonly kind: "default" }
  | { readonly kind: "none" };

export interface SettingSources {
  readonly settings: Settings;
  readonly config: LocatedConfig;
  readonly flags: Flags;
  readonly origins: ReadonlyMap<string, OptionOrigin>;
}

/**
 * Returns all settings with their values and origins: known settings first, then the file's other settings, then the
 * other given options.
 */
export function effectiveSettings(sources: SettingSources): readonly EffectiveSetting[] {
  const known = knownSettings(sources.settings, sources.config.config, sources.flags);
  const names = new Set(known.map(({ name }) => name));
  const options = new Set(known.flatMap(({ option }) => option ?? []));
  return [
    ...known.map((setting) => located(setting, sources)),
    ...fileSettings(sources).filter(({ name }) => !names.has(name)),
    ...givenOptions(sources).filter(({ name }) => !options.has(name)),
  ].map(withoutCredentials);
}

/** Settings whose value is an address, with or without a scheme. */
const ADDRESSES: ReadonlySet<string> = new Set(["baseUrl", "proxy", "endpoint"]);

/**
 * Masks credentials in an address. The configuration may contain such an address, but no command accepts it. The
 * address of the ledger needs no mask, because settings with a password in this address have already been refused.
 */
function withoutCredentials(setting: EffectiveSetting): EffectiveSetting {
  const { name, value } = setting;
  if (typeof value !== "string" || name === "ledger") return setting;
  const isUrl = value.includes("://") || ADDRESSES.has(name.slice(name.lastIndexOf(".") + 1));
  return isUrl ? { ...setting, value: maskAddress(value) } : setting;
}

function located({ name, value, option, paths }: KnownSetting, { config, origins }: SettingSources): EffectiveSetting {
  if (value === undefined) return { name, origin: { kind: "none" } };
  const given = option === undefined ? undefined : origins.get(option);
  return { name, value, origin: given ?? fileOrigin(paths, config) ?? { kind: "default" } };
}

function fileOrigin(paths: readonly AttrPath[], { document }: LocatedConfig): SettingOrigin | undefined {
  const path = paths.find((one) => valueAt(document?.value, one) !== undefined);
  if (document === undefined || path === undefined) return undefined;
  return { kind: "file", file: document.file, line: document.lineOf(path) };
}

/** Returns the settings in the file, with resolved paths. Omits all targets except the chosen one. */
function fileSettings({ config: { document, config }, flags }: SettingSources): readonly EffectiveSetting[] {
  if (document === undefined) return [];
  const chosen = targetNameOf(flags, config);
  return leavesOf(document.value, [])
    .filter(({ path: [first, second] }) => first !== "targets" || second === chosen)
    .map(({ path, value }) => {
      const read = path.reduce<unknown>((within, part) => memberAt(within, part), config);
      const origin = { kind: "file", file: document.file, line: document.lineOf(path) } as const;
      return { name: path.join("."), value: read === undefined ? value : plainValue(read), origin };
    });
}

function leavesOf(value: JsonValue, path: AttrPath): readonly { readonly path: AttrPath; readonly value: JsonValue }[] {
  if (!isJsonObject(value)) return [{ path, value }];
  return Object.entries(value).flatMap(([name, member]) => leavesOf(member, [...path, name]));
}

/** Returns the options that were given. They include options that no file can set, such as `limit`. */
function givenOptions({ flags, origins }: SettingSources): readonly EffectiveSetting[] {
  const values = new Map<string, unknown>(Object.entries(flags));
  return [...origins].map(([name, origin]) => ({ name, value: plainValue(values.get(name)), origin }));
}

function plainValue(value: unknown): JsonValue {
  if (typeof value === "string" || typeof value === "number" || typeof value === "boolean") return value;
  if (isJsonArray(value)) return value.map(plainValue);
  return isJsonObject(value) ? value : "";
}

/** Renders an origin as text, such as `migrate.yaml:3`, `--target`, `MIGRATE_TARGET` or `default`. */
export function originText(origin: SettingOrigin): string {
  if (origin.kind === "flag") return origin.flag;
  if (origin.kind === "environment") return origin.variable;
  if (origin.kind === "file") return `${origin.file}:${origin.line}`;
  if (origin.kind === "secret-file") return origin.file;
  return origin.kind === "default" ? "default" : "not set";
}

/** A setting that is always listed, with its value and its possible origins. */
interface KnownSetting {
  /** The name in the configuration file, such as `targets.test.baseUrl`. */
  readonly name: string;
  readonly value: JsonValue | undefined;
  readonly option?: string;
  /** Possible paths in the configuration file. The first path with a value applies. */
  readonly paths: readonly AttrPath[];
}

function knownSettings(settings: Settings, config: Config, flags: Flags): readonly KnownSetting[] {
  const name = targetNameOf(flags, config);
  return [
    { name: "config", value: settings.configFile, option: "config", paths: [] },
    ...jobSettings(settings, name),
    top("target", name),
    ...ofTarget(settings, name),
    ...ofStore(settings, config, flags),
  ];
}

function jobSettings({ job, ledger, out, threads }: Settings, target: string | undefined): readonly KnownSetting[] {
  return [
    top("contract", job.contract.length === 0 ? undefined : job.contract),
    top("operation", job.operation),
    top("mapping", job.mapping),
    {
      ...top("supplier", job.supplier),
      paths: [...(target === undefined ? [] : [["targets", target, "supplier"]]), ["supplier"]],
    },
    top("encoding", job.encoding),
    top("delimiter", job.delimiter),
    top("corrections", job.corrections),
    top("threads", threads),
    inFile("functionTimeout", job.functionTimeout ?? DEFAULT_FUNCTION_TIMEOUT),
    top("ledger", ledger),
    top("out", out),
  ];
}

/** Returns a setting at the top level of the file. Its flag has the same name. */
function top(setting: keyof Flags, value: JsonValue | undefined): KnownSetting {
  return { ...inFile(setting, value), option: setting };
}

function inFile(name: string, value: JsonValue | undefined, ...others: readonly AttrPath[]): KnownSetting {
  return { name, value, paths: [name.split("."), ...others] };
}

function ofTarget({ target, pace }: Settings, name: string | undefined): readonly KnownSetting[] {
  const row = (path: AttrPath, value: JsonValue | undefined, option?: keyof Flags): KnownSetting => {
    const whole = name === undefined ? path : ["targets", name, ...path];
    return { name: whole.join("."), value, paths: name === undefined ? [] : [whole], ...(option && { option }) };
  };
  return [
    ...(target === undefined
      ? []
      : [
          row(["baseUrl"], target.baseUrl, "baseUrl"),
          row(["ca"], target.ca, "ca"),
          row(["proxy"], target.proxy, "proxy"),
          row(["environment"], target.production ? "production" : "test"),
          row(["auth", "scheme"], target.auth.scheme ?? "Token", "auth"),
          ...Object.entries(timeoutSettings(target)).map(([setting, value]) => row(["timeouts", setting], value)),
        ]),
    { name: "concurrency", value: pace.concurrency, option: "concurrency", paths: [] },
    row(["maxConcurrency"], pace.maxConcurrency),
    row(["rps"], pace.rps, "rps"),
  ];
}

function ofStore({ supplier }: Settings, config: Config, flags: Flags): readonly KnownSetting[] {
  const store = storeSettingsOf(config, flags, supplier);
  if (store === undefined) return [];
  const bucketOf = supplier.code === undefined ? [] : [["suppliers", supplier.code, "bucket"]];
  return [
    { ...inFile("store.location", store.location, ...bucketOf), option: "store" },
    { ...inFile("store.endpoint", store.endpoint), option: "endpoint" },
    { ...inFile("store.region", store.region), option: "region" },
    { ...inFile("store.ca", store.ca), option: "ca" },
  ];
}

/** Lists the credentials and their origins. Reads no credential files and shows no secrets. */
export function effectiveCredentials(
  environment: NodeJS.ProcessEnv,
  { target }: Settings,
): readonly EffectiveSetting[] {
  const { token, apiKey } = secretOrigins(environment, target?.auth ?? {});
  const others = ["MIGRATE_PROXY_CREDENTIALS", ...Object.keys(STORE_CREDENTIAL_VARIABLES)];
  return [
    masked("MIGRATE_TOKEN", originOf(token)),
    masked("MIGRATE_API_KEY", originOf(apiKey)),
    ...others.map((variable) => credentialOf(variable, environment[variable])),
  ];
}

function credentialOf(variable: string, value: string | undefined): EffectiveSetting {
  const shown = masked(variable, value ? { kind: "environment", variable } : undefined);
  return value && variable === "AWS_PROFILE" ? { ...shown, value } : shown;
}

function originOf(place: string | undefined): SettingOrigin | undefined {
  if (place === undefined) return undefined;
  return Object.hasOwn(CREDENTIAL_VARIABLES, place)
    ? { kind: "environment", variable: place }
    : { kind: "secret-file", file: place };
}

function masked(name: string, origin: SettingOrigin | undefined): EffectiveSetting {
  // The text has the same length for every secret.
  return origin === undefined ? { name, origin: { kind: "none" } } : { name, value: "***", origin };
}
