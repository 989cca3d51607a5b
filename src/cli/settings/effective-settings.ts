import type { AttrPath } from "../../json/attr.ts";
import { isJsonArray, isJsonObject, type JsonValue, memberAt, valueAt } from "../../json/json-value.ts";
import type { OptionOrigin } from "../options/option-origin.ts";
import type { Flags } from "../options/options.ts";
import type { LocatedConfig } from "./config-file.ts";
import { type KnownSetting, knownSettings } from "./known-settings.ts";
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
  /** A private file that holds a credential. */
  | { readonly kind: "secret-file"; readonly file: string }
  | { readonly kind: "default" }
  | { readonly kind: "none" };

export interface SettingSources {
  readonly settings: Settings;
  readonly config: LocatedConfig;
  readonly flags: Flags;
  readonly origins: ReadonlyMap<string, OptionOrigin>;
}

/** Every setting with its value and its place: those that there always are, then what else the file or flags give. */
export function effectiveSettings(sources: SettingSources): readonly EffectiveSetting[] {
  const known = knownSettings(sources.settings, sources.config.config, sources.flags);
  const names = new Set(known.map(({ name }) => name));
  const options = new Set(known.flatMap(({ option }) => option ?? []));
  return [
    ...known.map((setting) => located(setting, sources)),
    ...fileSettings(sources).filter(({ name }) => !names.has(name)),
    ...givenOptions(sources).filter(({ name }) => !options.has(name)),
  ];
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

/** What the file says; of its targets the chosen one alone. Paths are those that are opened. */
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

/** `migrate.yaml:3`, `--target`, `MIGRATE_TARGET`, `default`. */
export function originText(origin: SettingOrigin): string {
  switch (origin.kind) {
    case "flag":
      return origin.flag;
    case "environment":
      return origin.variable;
    case "file":
      return `${origin.file}:${origin.line}`;
    case "secret-file":
      return origin.file;
    case "default":
      return "default";
    case "none":
      break;
  }
  return "not set";
}
