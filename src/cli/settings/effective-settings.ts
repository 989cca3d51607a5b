import type { AttrPath } from "../../json/attr.ts";
import { isJsonArray, isJsonObject, type JsonValue, memberAt, valueAt } from "../../json/json-value.ts";
import type { OptionOrigin } from "../options/option-origin.ts";
import type { Flags } from "../options/options.ts";
import type { LocatedConfig } from "./config-file.ts";
import { type KnownSetting, knownSettings } from "./known-settings.ts";
import { type Settings, targetNameOf } from "./settings.ts";

/** The effective value of a setting, and its origin. */
export interface EffectiveSetting {
  /** The name in the configuration file: `targets.test.baseUrl`. */
  readonly name: string;
  /** Absent if the setting is not set and has no default. */
  readonly value?: JsonValue;
  readonly origin: SettingOrigin;
}

export type SettingOrigin =
  | OptionOrigin
  | { readonly kind: "file"; readonly file: string; readonly line: number }
  /** A private file that contains a credential. */
  | { readonly kind: "secret-file"; readonly file: string }
  | { readonly kind: "default" }
  | { readonly kind: "none" };

export interface SettingSources {
  readonly settings: Settings;
  readonly config: LocatedConfig;
  readonly flags: Flags;
  readonly origins: ReadonlyMap<string, OptionOrigin>;
}

/** All settings with value and origin: the known settings first, then the rest of the file and the flags. */
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

/** The settings in the file. Of the targets, only the chosen one is included. Paths are resolved. */
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

/** Options that were given. They include options that no file can set, such as `limit`. */
function givenOptions({ flags, origins }: SettingSources): readonly EffectiveSetting[] {
  const values = new Map<string, unknown>(Object.entries(flags));
  return [...origins].map(([name, origin]) => ({ name, value: plainValue(values.get(name)), origin }));
}

function plainValue(value: unknown): JsonValue {
  if (typeof value === "string" || typeof value === "number" || typeof value === "boolean") return value;
  if (isJsonArray(value)) return value.map(plainValue);
  return isJsonObject(value) ? value : "";
}

/** The origin as text: `migrate.yaml:3`, `--target`, `MIGRATE_TARGET`, `default`. */
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
