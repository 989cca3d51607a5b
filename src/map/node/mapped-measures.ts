import type { FieldType } from "../../contract/types/field-type.ts";
import { formatAttr } from "../../json/attr.ts";
import type { MappingDocument } from "../document/mapping-document.ts";
import { didYouMean, type Issues } from "../document/mapping-issues.ts";
import { mappedAttrs } from "./mapped-attrs.ts";

/** Rejects a measure of an attr that no payload has, because its sum would always be zero. */
export function refuseUnmappedMeasures(document: MappingDocument, body: FieldType, issues: Issues): void {
  if (document.measures.length === 0) return;
  const attrs = [...mappedAttrs(document.payload, body).keys()].filter((attr) => attr !== "");
  for (const { name, attr, by } of document.measures) {
    for (const [option, path] of [
      ["attr", attr],
      ["by", by],
    ] as const) {
      const written = path && formatAttr(path);
      if (written === undefined || attrs.includes(written)) continue;
      issues.add(["measures", name, option], `the mapping fills no "${written}"`, didYouMean(written, attrs));
    }
  }
}
