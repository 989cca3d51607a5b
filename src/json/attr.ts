/**
 * Attr: the platform's dot-delimited address of an input inside a payload (API specification 7.3),
 * `customers.0.phone`. String parts are field names, numeric parts zero-based list indexes.
 */
export type AttrSegment = string | number;
export type AttrPath = readonly AttrSegment[];

/** Where a problem is addressed that belongs to a whole object, or to no place at all. */
export const NON_FIELD_ERRORS = "non_field_errors";

export function formatAttr(path: AttrPath): string {
  return path.length === 0 ? NON_FIELD_ERRORS : path.join(".");
}

/** `customers.0.phone` -> ["customers", 0, "phone"]; a part made of digits alone is an index. */
export function parseAttr(attr: string): AttrPath {
  return attr.split(".").map((part) => (/^\d{1,9}$/.test(part) ? Number(part) : part));
}

/** `customers.0.phone` -> `customers.*.phone`: the same field of every item. */
export function attrPattern(attr: string): string {
  return parseAttr(attr)
    .map((part) => (typeof part === "number" ? "*" : part))
    .join(".");
}

/** The attr of a field, or of all items (`*`), inside what the attr names; an empty attr is the payload itself. */
export function childAttr(attr: string, name: string): string {
  return attr === "" ? name : `${attr}.${name}`;
}
