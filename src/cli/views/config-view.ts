import type { JsonValue } from "../../json/json-value.ts";
import { indentedJson } from "../../terminal/safe-json.ts";
import { renderTable } from "../../terminal/text-table.ts";
import { type EffectiveSetting, originText } from "../settings/effective-settings.ts";
import type { View } from "./view.ts";

/** Shows one setting per line: name, origin and value. As data, `{"settings":[...]}`. */
export const configView: View<readonly EffectiveSetting[]> = {
  text: (settings, { screen }) => {
    const rows = settings.map(({ name, value, origin }) => [name, originText(origin), valueText(value)]);
    return renderTable(rows, ["setting", "from", "value"], screen);
  },
  json: (settings) => indentedJson({ settings: settings.map(settingJson) }),
};

function settingJson({ name, value, origin }: EffectiveSetting): object {
  return { setting: name, ...(value !== undefined && { value }), from: originText(origin), kind: origin.kind };
}

function valueText(value: JsonValue | undefined): string {
  if (value === undefined) return "";
  if (Array.isArray(value)) return value.map((item: JsonValue) => valueText(item)).join(", ");
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
