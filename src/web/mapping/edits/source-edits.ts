import { definedMembers } from "../../../json/defined-members.ts";
import { canonicalJson, type JsonObject, valueAt } from "../../../json/json-value.ts";
import type { MappingEdit, NewSource } from "../mapping-data.ts";
import { editYaml, parseMapping, refuse } from "../yaml/edit-yaml.ts";
import type { EditContext } from "./edit-target.ts";

/**
 * Adds a source. If the parent has no key, its column in the join becomes its key. If the parent has another key, the
 * join names both columns.
 */
export function withNewSource(text: string, added: NewSource, { file }: EditContext): string {
  const { name, file: written, key, parent, column, parentColumn } = added;
  const value = parseMapping(file, text);
  if (valueAt(value, ["sources", name]) !== undefined)
    return refuse(`a source "${name}" already exists`, "choose another name");
  const parentKey = valueAt(value, ["sources", parent, "key"]);
  const isOwnKey = parentKey === undefined || parentKey === parentColumn;
  const keyed =
    parentKey === undefined ? editYaml(file, text, { path: ["sources", parent, "key"], value: parentColumn }) : text;
  const on = isOwnKey ? column : { [column]: parentColumn };
  const options: JsonObject = { files: written, ...definedMembers({ key }), parent, on };
  return editYaml(file, keyed, { path: ["sources", name], value: options });
}

/** Sets or removes options of a source. Adds the source to the mapping if it is not there yet. */
export function withSourceOptions(
  text: string,
  { name, options }: Extract<MappingEdit, { kind: "source" }>,
  { file }: EditContext,
): string {
  let made = text;
  const old = valueAt(parseMapping(file, text), ["sources", name]);
  if (old === undefined) {
    const set = Object.fromEntries(Object.entries(options).filter(([, option]) => option !== null));
    return editYaml(file, text, { path: ["sources", name], value: set });
  }
  for (const [option, wanted] of Object.entries(options)) {
    if (canonicalJson(valueAt(old, [option]) ?? null) === canonicalJson(wanted)) continue;
    made = editYaml(file, made, { path: ["sources", name, option], ...(wanted !== null && { value: wanted }) });
  }
  return made;
}
