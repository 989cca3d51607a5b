import type { AttrPath } from "../../../json/attr.ts";
import { readMapping } from "../../../map/document/mapping-document.ts";
import { fieldTree } from "../field-tree.ts";
import type { MappingEdit } from "../mapping-data.ts";
import { editYaml, refuse } from "../yaml/edit-yaml.ts";
import { type EditContext, fieldWith } from "./edit-target.ts";
import { withColumn, withLeaf } from "./leaf-edits.ts";
import { withCondition, withNewPart, withoutPart, withRows } from "./list-edits.ts";
import { withNewSource, withSourceOptions } from "./source-edits.ts";

/**
 * Changes a mapping and keeps every character that the change does not affect.
 * @throws Failure `mapping_invalid` if the mapping cannot be read, `usage` if the change is not possible
 */
export function editMapping(text: string, edit: MappingEdit, context: EditContext): string {
  if (edit.kind === "source") return withSourceOptions(text, edit, context);
  if (edit.kind === "addSource") return withNewSource(text, edit, context);
  if (edit.kind === "functions") {
    const { module } = edit;
    return editYaml(context.file, text, { path: ["functions"], ...(module !== null && { value: module }) });
  }
  return withFieldEdit(text, edit, context);
}

type FieldEdit = Extract<MappingEdit, { readonly path: AttrPath }>;

function withFieldEdit(text: string, edit: FieldEdit, context: EditContext): string {
  const document = readMapping({ file: context.file, text });
  const tree = fieldTree(document, context.guesses);
  const field = fieldWith(tree, edit.path);
  if (field === undefined) return refuse(`the mapping has no field at ${edit.path.join(".")}`, "reload the page");
  const target = { text, field, context, sources: document.sources, tree };
  switch (edit.kind) {
    case "connect":
      return withColumn(target, edit);
    case "disconnect":
      return editYaml(context.file, text, { path: edit.path });
    case "set":
      return withLeaf(target, edit.leaf, undefined);
    case "rows":
      return withRows(target, edit.source);
    case "addPart":
      return withNewPart(target, edit);
    case "part":
      return withCondition(target, edit.when);
    case "removePart":
      return withoutPart(target);
    default:
      return edit satisfies never;
  }
}
