import type { RuleBook, SettingType, SettingValue } from "../grammar/rule.ts";
import { suggest } from "../model/suggest.ts";
import { Failure } from "../model/failure.ts";

/**
 * The settings that rules may read: those declared, and the defaults of the others.
 * @throws Failure `config` for a setting that the contract does not know, or a value of another type
 */
export function settingsFor(
  { settings: known }: RuleBook,
  declared: Readonly<Record<string, SettingValue>>,
): ReadonlyMap<string, SettingValue> {
  const settings = new Map<string, SettingValue>();
  for (const [name, { default: standard }] of known) if (standard !== undefined) settings.set(name, standard);
  for (const [name, value] of Object.entries(declared)) {
    const type = known.get(name);
    if (type === undefined) throw unknownSetting(name, [...known.keys()]);
    if (!fits(value, type)) {
      throw new Failure("config", `rules.${name}: ${EXPECTED[type.type]} is expected`, {
        ...(type.description !== undefined && { hint: type.description }),
      });
    }
    settings.set(name, value);
  }
  return settings;
}

function unknownSetting(name: string, known: readonly string[]): Failure {
  const near = suggest(name, known);
  const hint = known.length === 0 ? "the contract's rules have no settings" : `known are ${known.join(", ")}`;
  return new Failure("config", `rules.${name}: no rule of the contract knows this setting`, {
    hint: near === undefined ? hint : `did you mean "${near}"?`,
  });
}

const EXPECTED: Readonly<Record<SettingType["type"], string>> = {
  boolean: "true or false",
  number: "a number",
  text: "a text",
  list: "a list of texts",
};

function fits(value: SettingValue, { type }: SettingType): boolean {
  if (type === "list") return typeof value === "object";
  if (type === "number")
    return typeof value === "number" || (typeof value === "string" && /^-?\d+(?:\.\d+)?$/.test(value));
  return typeof value === (type === "text" ? "string" : "boolean");
}
