import { isJsonArray, isJsonObject, type JsonValue } from "../../json/json-value.ts";
import { findProduct, findTariff } from "../state/product-catalogue.ts";
import type { PayloadError } from "../sandbox-reply.ts";

/** Judges a payload by what only the platform knows. */
export type PlatformCheck = (payload: JsonValue) => readonly PayloadError[];

/** Which fields a rule looks at: those of this name, and those whose name ends in `_` and this name. */
export type PlatformRules = Readonly<Record<RuleName, readonly string[]>>;

type RuleName = "phone" | "postcode" | "product" | "supplier" | "tariff";

/** The rules that local validation cannot know, so that a push meets refusals which `validate` did not foresee. */
export const PLATFORM_RULES: PlatformRules = {
  phone: ["landline", "mobile", "phone", "phone_number", "telephone"],
  postcode: ["postcode"],
  product: ["product_code"],
  supplier: ["import_supplier", "import_supplier_code"],
  tariff: ["tariff_code"],
};

interface Rule {
  readonly code: string;
  readonly detail: string;
  readonly holds: (text: string) => boolean;
}

/** @param isSupplier whether there is an import supplier of this code. */
export function createPlatformCheck(fields: PlatformRules, isSupplier: (code: string) => boolean): PlatformCheck {
  const rules: Readonly<Record<RuleName, Rule>> = {
    phone: { code: "invalid_phone_number", detail: "The phone number is not valid.", holds: isPhoneNumber },
    postcode: { code: "invalid_postcode", detail: "The postcode is not valid.", holds: isPostcode },
    product: unknownProduct((code) => findProduct(code) !== undefined),
    supplier: { code: "does_not_exist", detail: "There is no such import supplier.", holds: isSupplier },
    tariff: unknownProduct((code) => findTariff(code) !== undefined),
  };
  const byName = new Map(namedRules(fields, rules));

  const visit = (value: JsonValue, path: readonly string[], found: PayloadError[]): void => {
    if (isJsonArray(value)) value.forEach((item, index) => visit(item, [...path, String(index)], found));
    else if (isJsonObject(value))
      for (const [name, member] of Object.entries(value)) visit(member, [...path, name], found);
    else if (typeof value === "string" && value.trim() !== "") {
      const rule = ruleOf(path.at(-1) ?? "", byName);
      if (rule !== undefined && !rule.holds(value.trim()))
        found.push({ attr: path.join("."), code: rule.code, detail: rule.detail });
    }
  };
  return (payload) => {
    const found: PayloadError[] = [];
    visit(payload, [], found);
    return found;
  };
}

function namedRules(
  fields: PlatformRules,
  rules: Readonly<Record<RuleName, Rule>>,
): readonly (readonly [string, Rule])[] {
  const named: readonly RuleName[] = ["phone", "postcode", "product", "supplier", "tariff"];
  return named.flatMap((rule) => fields[rule].map((name) => [name, rules[rule]] as const));
}

/** By the whole name, then by what follows each underscore: `billing_postcode` is a `postcode`. */
function ruleOf(field: string, byName: ReadonlyMap<string, Rule>): Rule | undefined {
  const rule = byName.get(field);
  const underscore = field.indexOf("_");
  return rule ?? (underscore < 0 ? undefined : ruleOf(field.slice(underscore + 1), byName));
}

function unknownProduct(holds: (code: string) => boolean): Rule {
  return { code: "product_code_does_not_exist", detail: "There is no such product or tariff.", holds };
}

/** United Kingdom: ten digits after the leading zero (nine in a few old areas), not starting with 0, 4 or 6 (Ofcom, national numbering plan). */
function isPhoneNumber(text: string): boolean {
  const digits = text.replaceAll(/[\s().-]/g, "");
  return /^(?:\+44|0044|0)[1235789]\d{8,9}$/.test(digits);
}

/** United Kingdom: outward code, inward code without C, I, K, M, O and V (Royal Mail, Programmers' Guide to PAF). */
function isPostcode(text: string): boolean {
  return /^(?:GIR ?0AA|[A-PR-UWYZ](?:\d{1,2}|[A-HK-Y]\d{1,2}|\d[A-HJKPSTUW]|[A-HK-Y]\d[ABEHMNPRVWXY]) ?\d[ABD-HJLNP-UW-Z]{2})$/i.test(
    text,
  );
}
