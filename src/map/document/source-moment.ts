import type { AttrPath } from "../../json/attr.ts";
import type { JsonObject, JsonValue } from "../../json/json-value.ts";
import { isZone } from "../../time/zoned-time.ts";
import { readDatePattern, utcWriter } from "../leaf/date-pattern.ts";
import { type Issues, asObject, refuseUnknown } from "./mapping-issues.ts";

/**
 * Where the date of a row's content is stated (`asOf`): in a column, in the file name, or as the modification date of
 * the file.
 */
export type SourceMoment = WrittenMoment | { readonly kind: "file date" };

/** A date in a cell of each row, or in the file name. */
export type WrittenMoment = MomentText &
  ({ readonly kind: "column"; readonly column: string } | { readonly kind: "file name" });

interface MomentText {
  /** The required date and its notation, for messages. */
  readonly wanted: string;
  /**
   * Returns the moment stated in a cell or a file name, in milliseconds since 1970. Returns undefined if the text does
   * not state exactly one moment in this notation.
   */
  readonly read: (text: string) => number | undefined;
}

/**
 * Reads `asOf: { column: CHANGED, date: dd/MM/yyyy }` or `asOf: { fileName: yyyy-MM-dd }`, with `zone` for a pattern
 * that contains a time, or `asOf: { fileModified: true }`.
 */
export function readSourceMoment(
  value: JsonValue | undefined,
  path: AttrPath,
  issues: Issues,
): SourceMoment | undefined {
  if (value === undefined) return undefined;
  const object = asObject(value, path, issues);
  if (object === undefined) return undefined;
  const kind = "fileModified" in object ? "fileModified" : "fileName" in object ? "fileName" : "column";
  refuseUnknown(object, [...new Set(Object.values(MEMBERS).flat())], path, issues);
  refuseOfOthers(object, kind, path, issues);
  if (kind === "fileModified") {
    if (object[kind] !== true) issues.add([...path, kind], "must be true", "write fileModified: true, or remove asOf");
    return { kind: "file date" };
  }
  if (kind === "fileName") {
    const dated = readNotation(object, { path, place: "fileName", example: FILE_EXAMPLE }, issues);
    if (dated === undefined) return undefined;
    return { kind: "file name", ...dated, read: remembering((name) => momentIn(name, dated.read)) };
  }
  const { column } = object;
  if (typeof column !== "string" || column === "") {
    return issues.add([...path, "column"], "must be a column", `write, for example, ${EXAMPLE}`);
  }
  const dated = readNotation(object, { path, place: "date", example: EXAMPLE }, issues);
  return dated && { kind: "column", column, ...dated, read: remembering(dated.read) };
}

/** For each member that selects where the date is stated, the members that may be combined with it. */
const MEMBERS = {
  column: ["column", "date", "zone"],
  fileName: ["fileName", "zone"],
  fileModified: ["fileModified"],
} as const;

function refuseOfOthers(object: JsonObject, kind: keyof typeof MEMBERS, path: AttrPath, issues: Issues): void {
  const own = new Set<string>(MEMBERS[kind]);
  const others = new Set<string>(Object.values(MEMBERS).flat());
  for (const name of Object.keys(object)) {
    if (others.has(name) && !own.has(name)) issues.add([...path, name], `cannot be combined with ${kind}`);
  }
}

interface NotationPlace {
  readonly path: AttrPath;
  /** The member with the pattern. */
  readonly place: "date" | "fileName";
  readonly example: string;
}

function readNotation(
  object: JsonObject,
  { path, place, example }: NotationPlace,
  issues: Issues,
): MomentText | undefined {
  const { [place]: date, zone } = object;
  if (typeof date !== "string") {
    return issues.add([...path, place], "must be a pattern", `write, for example, ${example}`);
  }
  const pattern = readDatePattern(date, [...path, place], issues);
  if (pattern === undefined) return undefined;
  const needsZone = !pattern.hasOffset && /[Hms]/.test(date.replaceAll(/'[^']*'/g, ""));
  if (needsZone && zone === undefined) {
    return issues.add([...path, place], "has no time zone", "add zone: Europe/London (or UTC), or XXX to the pattern");
  }
  const fault = zone === undefined ? undefined : zoneFault(zone, needsZone);
  if (fault !== undefined) return issues.add([...path, "zone"], ...fault);
  const inZone = typeof zone === "string" ? zone : undefined;
  const toUtc = utcWriter(inZone);
  const amount = place === "fileName" ? "exactly one" : "a";
  const wanted = `${amount} valid date, written as ${date}${inZone === undefined ? "" : ` (${inZone})`}`;
  const read = (text: string): number | undefined => {
    const time = pattern.read(text);
    const utc = time && toUtc(time);
    return utc === undefined ? undefined : Date.parse(utc);
  };
  return { wanted, read };
}

/** Returns the moment of the date in a name, or undefined if the name contains no date or several different dates. */
function momentIn(name: string, momentOfText: (text: string) => number | undefined): number | undefined {
  const moments = new Set<number>();
  for (let start = 0; start < name.length; start += 1) {
    // Uses the longest match, because a pattern with single letters also matches a part of the date.
    for (let end = name.length; end > start; end -= 1) {
      const moment = momentOfText(name.slice(start, end));
      if (moment === undefined) continue;
      moments.add(moment);
      start = end - 1;
      break;
    }
  }
  const [only] = moments;
  return moments.size === 1 ? only : undefined;
}

/** Returns the error in `zone`, if there is one. A pattern with a time needs either a zone or an offset. */
function zoneFault(zone: JsonValue, needsZone: boolean): readonly [text: string, hint?: string] | undefined {
  if (typeof zone !== "string" || !isZone(zone))
    return ["must be a time zone", "use a name such as Europe/London, or UTC"];
  return needsZone ? undefined : ["has no effect: the pattern has no time, or contains the offset (XXX)"];
}

const EXAMPLE = "{ column: CHANGED, date: dd/MM/yyyy }";
const FILE_EXAMPLE = "{ fileName: yyyy-MM-dd }";

/** Caches the last result, because consecutive rows of an extract often have the same moment. */
function remembering(read: MomentText["read"]): MomentText["read"] {
  let last: { readonly text: string; readonly moment: number | undefined } | undefined;
  return (text) => {
    if (last?.text !== text) last = { text, moment: read(text) };
    return last.moment;
  };
}
