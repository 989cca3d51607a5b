import type { ChoiceType } from "../contract/field-type.ts";
import type { JsonValue } from "../model/json.ts";
import type { Check } from "./found.ts";

/** The platform compares choices as text: the number 1 is taken for the choice "1", and changed into it. */
export function choiceCheck(type: ChoiceType): Check {
  const exact: ReadonlySet<JsonValue> = new Set(type.choices);
  const byText = new Map(type.choices.map((choice) => [String(choice), choice]));
  const choices = type.choices.map(String);
  return (value, found) => {
    if (exact.has(value)) return;
    const meant = typeof value === "string" || typeof value === "number" ? byText.get(String(value)) : undefined;
    if (meant === undefined || typeof meant === "boolean") return found.add(value, { code: "invalid_choice", choices });
    found.add(value, { code: "coerced", from: typeof value, to: typeof meant }, { severity: "warning" });
  };
}
