import { yamlText } from "../../../commands/init/write/yaml-text.ts";
import { isJsonArray, isJsonObject, type JsonValue } from "../../../json/json-value.ts";

export function valueLines(value: JsonValue, levels: number): readonly string[] {
  if (isJsonArray(value)) return value.flatMap((item) => itemLines(item, levels));
  if (!isJsonObject(value)) return [flowText(value)];
  return Object.entries(value).flatMap(([name, member]) => fieldLines(name, member, levels - 1));
}

export function fieldLines(name: string, value: JsonValue, levels: number): readonly string[] {
  const isBlock = levels > 0 && typeof value === "object" && value !== null && Object.keys(value).length > 0;
  if (!isBlock) return [`${keyText(name)}: ${flowText(value)}`];
  return [`${keyText(name)}:`, ...valueLines(value, levels).map((line) => `  ${line}`)];
}

export function itemLines(value: JsonValue, levels: number): readonly string[] {
  if (!isJsonObject(value) || levels <= 0) return [`- ${flowText(value)}`];
  const [first = "", ...rest] = valueLines(value, levels);
  return [`- ${first}`, ...rest.map((line) => `  ${line}`)];
}

/** Renders a value on one line. */
export function flowText(value: JsonValue): string {
  if (typeof value === "string") return yamlText(value);
  if (isJsonArray(value)) return `[${value.map(flowText).join(", ")}]`;
  if (!isJsonObject(value)) return JSON.stringify(value);
  const entries = Object.entries(value).map(([name, member]) => `${keyText(name)}: ${flowText(member)}`);
  return entries.length === 0 ? "{}" : `{ ${entries.join(", ")} }`;
}

/** Renders a name. Names are always strings, so digits and words such as `on` need no quotation marks. */
export function keyText(name: string): string {
  return /^(?:\d+|[A-Za-z]|on|true|false)$/.test(name) ? name : yamlText(name);
}
