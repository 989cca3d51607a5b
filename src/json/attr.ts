/**
 * One segment of an attr. An attr is the path of a value in a payload, as the platform reports it (API specification
 * 7.3): `customers.0.phone`. String segments are field names, and numeric segments are zero-based list indexes.
 */
export type AttrSegment = string | number;
export type AttrPath = readonly AttrSegment[];

/** The attr of a problem that concerns a whole object, or no specific field. */
export const NON_FIELD_ERRORS = "non_field_errors";

export function formatAttr(path: AttrPath): string {
  return path.length === 0 ? NON_FIELD_ERRORS : path.join(".");
}

/** Parses an attr: `customers.0.phone` -> ["customers", 0, "phone"]. A segment of digits is an index. */
export function parseAttr(attr: string): AttrPath {
  return attr.split(".").map((part) => (/^\d{1,9}$/.test(part) ? Number(part) : part));
}

/** Replaces list indexes with `*`: `customers.0.phone` -> `customers.*.phone`. */
export function attrPattern(attr: string): string {
  return parseAttr(attr)
    .map((part) => (typeof part === "number" ? "*" : part))
    .join(".");
}

/**
 * Returns the attr of a field in the value at `attr`. The name `*` refers to all items of a list. An empty `attr`
 * refers to the payload itself.
 */
export function childAttr(attr: string, name: string): string {
  return attr === "" ? name : `${attr}.${name}`;
}
