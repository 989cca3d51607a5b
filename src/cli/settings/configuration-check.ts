import { type Check, ok, warning } from "../../commands/doctor/check.ts";
import { type EffectiveSetting, originText } from "./effective-settings.ts";

/** Reports the configuration file and the origin of each setting. */
export function configurationCheck(file: string | undefined, settings: readonly EffectiveSetting[]): Check {
  const text = [file ?? "no migrate.yaml here or in a folder above", ...givenBy(settings)].join("; ");
  if (file !== undefined) return ok("configuration", text);
  return warning("configuration", text, { fix: "write one (docs/configuration.md), or use flags only" });
}

/** `from the file: contract, mapping`, `MIGRATE_SUPPLIER: supplier`, `--target: target`. */
function givenBy(settings: readonly EffectiveSetting[]): readonly string[] {
  const names = (kind: EffectiveSetting["origin"]["kind"]): readonly EffectiveSetting[] =>
    settings.filter(({ origin, name }) => origin.kind === kind && name !== "config");
  const inFile = [...new Set(names("file").map(({ name }) => name.split(".").slice(0, 2).join(".")))];
  const given = [...names("environment"), ...names("flag")].map(
    ({ origin, name }) => `${name} by ${originText(origin)}`,
  );
  return [...(inFile.length === 0 ? [] : [`sets ${inFile.join(", ")}`]), ...given];
}
