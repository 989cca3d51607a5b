import type { AttrPath } from "../../json/attr.ts";
import { isJsonArray, isJsonObject, type JsonValue, valueAt } from "../../json/json-value.ts";
import type { OptionOrigin } from "../options/option-origin.ts";
import type { Flags } from "../options/options.ts";
import type { LocatedConfig } from "./config-file.ts";
import { type Settings, targetNameOf } from "./settings.ts";

/** One setting as commands use it, and the place that it comes from. */
export interface EffectiveSetting {
  /** As the configuration file would name it: `targets.test.baseUrl`. */
  readonly name: string;
  /** Absent where nothing sets it and there is no default. */
  readonly value?: JsonValue;
  readonly origin: SettingOrigin;
}

export type SettingOrigin =
  | OptionOrigin
  | { readonly kind: "file"; readonly file: string; readonly line: number }
  | { readonly kind: "default" }
  | { readonly kind: "none" };

interface SettingSources {
  readonly settings: Settings;
  readonly config: LocatedConfig;
  readonly flags: Flags;
  readonly origins: ReadonlyMap<string, OptionOrigin>;
}

/** Every setting with its value and its place: those that there always are, then what else flags or the file give. */
export function effectiveSettings(sources: SettingSources): readonly EffectiveSetting[] {
  const known = knownSettings(sources);
  const names = new Set(known.map(({ name }) => name));
  const inFile = fileSettings(sources).filter(({ name }) => !names.has(name));
  const options = new Set(known.flatMap(({ option }) => option ?? []));
  const listed = known.map((setting) => located(setting, sources));
  return [...listed, ...inFile, ...givenOptions(sources).filter(({ name }) => !options.has(name))];
}

/** Where a setting can come from: an option, then paths of the configuration file, the first that is there. */
interface KnownSetting {
  readonly name: string;
  readonly value: JsonValue | undefined;
  readonly option?: string;
  readonly paths: readonly AttrPath[];
}

function knownSettings({ settings, config, flags }: SettingSources): readonly KnownSetting[] {
  const { job, target, pace, configFile } = settings;
  const name = targetNameOf(flags, config.config);
  const inTarget = (setting: string): AttrPath => (name === undefined ? [setting] : ["targets", name, setting]);
  const ofTarget = (setting: string, value: JsonValue | undefined, option?: keyof Flags): KnownSetting => {
    const path = inTarget(setting);
    return { name: path.join("."), value, paths: name === undefined ? [] : [path], ...(option && { option }) };
  };
  return [
    { name: "config", value: configFile, option: "config", paths: [] },
    top("contract", job.contract.length === 0 ? undefined : job.contract),
    top("operation", job.operation),
    top("mapping", job.mapping),
    { ...top("supplier", job.supplier), paths: [...(name === undefined ? [] : [inTarget("supplier")]), ["supplier"]] },
    top("encoding", job.encoding),
    top("delimiter", job.delimiter),
    top("ledger", settings.ledger),
    top("out", settings.out),
    top("target", name),
    ...(target === undefined
      ? []
      : [
          ofTarget("baseUrl", withoutUser(target.baseUrl), "baseUrl"),
          ofTarget("ca", target.ca, "ca"),
          ofTarget("proxy", target.proxy === undefined ? undefined : withoutUser(target.proxy), "proxy"),
          ofTarget("environment", target.production ? "production" : "test"),
          {
            ...ofTarget("auth", target.auth.scheme ?? "Token", "auth"),
            name: [...inTarget("auth"), "scheme"].join("."),
            paths: [[...inTarget("auth"), "scheme"]],
          },
        ]),
    { name: "concurrency", value: pace.concurrency, option: "concurrency", paths: [] },
    ofTarget("maxConcurrency", pace.maxConcurrency),
    ofTarget("rps", pace.rps, "rps"),
  ];
}

/** One that stands at the top of the file under the name of its flag. */
function top(setting: keyof Flags, value: JsonValue | undefined): KnownSetting {
  return { name: setting, value, option: setting, paths: [[setting]] };
}

function located({ name, value, option, paths }: KnownSetting, { config, origins }: SettingSources): EffectiveSetting {
  const given = option === undefined ? undefined : origins.get(option);
  const origin = given ?? fileOrigin(paths, config);
  if (origin !== undefined) return { name, origin, ...(value !== undefined && { value }) };
  return value === undefined ? { name, origin: { kind: "none" } } : { name, value, origin: { kind: "default" } };
}

function fileOrigin(paths: readonly AttrPath[], { document }: LocatedConfig): SettingOrigin | undefined {
  const path = paths.find((one) => valueAt(document?.value, one) !== undefined);
  if (document === undefined || path === undefined) return undefined;
  return { kind: "file", file: document.file, line: document.lineOf(path) };
}

/** What the file says; of its targets the chosen one alone. */
function fileSettings({ config: { document, config }, flags }: SettingSources): readonly EffectiveSetting[] {
  if (document === undefined) return [];
  const chosen = targetNameOf(flags, config);
  return leavesOf(document.value, [])
    .filter(({ path: [first, second] }) => first !== "targets" || second === chosen)
    .map(({ path, value }) => {
      const origin = { kind: "file", file: document.file, line: document.lineOf(path) } as const;
      return { name: path.join("."), value, origin };
    });
}

function leavesOf(value: JsonValue, path: AttrPath): readonly { readonly path: AttrPath; readonly value: JsonValue }[] {
  if (!isJsonObject(value)) return [{ path, value }];
  return Object.entries(value).flatMap(([name, member]) => leavesOf(member, [...path, name]));
}

/** Options that no file can set: `limit`. */
function givenOptions({ flags, origins }: SettingSources): readonly EffectiveSetting[] {
  const values = new Map<string, unknown>(Object.entries(flags));
  return [...origins].map(([name, origin]) => ({ name, value: plainValue(values.get(name)), origin }));
}

function plainValue(value: unknown): JsonValue {
  if (typeof value === "string" || typeof value === "number" || typeof value === "boolean") return value;
  if (isJsonArray(value)) return value.map(plainValue);
  return isJsonObject(value) ? value : "";
}

/** An address can carry a user and a password, though no command takes it so. */
function withoutUser(address: string): string {
  return address.replace(/\/\/[^/@]*@/, "//***@");
}

/** `migrate.yaml:3`, `--target`, `MIGRATE_TARGET`, `default`. */
export function originText(origin: SettingOrigin): string {
  switch (origin.kind) {
    case "flag":
      return origin.flag;
    case "environment":
      return origin.variable;
    case "file":
      return `${origin.file}:${origin.line}`;
    case "default":
      return "default";
    case "none":
      break;
  }
  return "not set";
}
