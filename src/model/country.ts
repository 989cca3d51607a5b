import { Failure } from "./failure.ts";

/**
 * Returns the region of an instance if it is a country code. Rules compare the region with such codes, so any
 * other text would silently disable them.
 * @param name the setting, for the message
 * @throws Failure `config`
 */
export function countryOf(region: string, name: string): string {
  // An outdated or alternative code, such as UK, has another canonical form.
  if (/^[A-Z]{2}$/.test(region) && new Intl.Locale("und", { region }).region === region) return region;
  throw new Failure("config", `${name}: "${region}" is not a country code`, {
    hint: "use two capital letters (ISO 3166-1), such as GB for the United Kingdom",
  });
}
