import type { AttrPath } from "../../json/attr.ts";
import type { JsonValue } from "../../json/json-value.ts";
import { isoDateTime, isZone, utcAtOffset, utcInZone } from "../../time/zoned-time.ts";
import { compileDatePattern, type DatePattern, type PatternTime } from "../leaf/date-pattern.ts";
import { datePatternHint } from "../leaf/foreign-date-pattern.ts";
import { asObject, type Issues, refuseUnknown } from "./mapping-issues.ts";

/** The column that states from when the content of a row is (`asOf`). */
export interface SourceMoment {
  readonly column: string;
  /** The notation of its cells, for messages. */
  readonly wanted: string;
  /** The moment in milliseconds since 1970; undefined for a text that does not have this notation. */
  readonly read: (text: string) => number | undefined;
}

/** Reads `asOf: { column: CHANGED, date: dd/MM/yyyy }`, with `zone` for a pattern that contains a time. */
export function readSourceMoment(
  value: JsonValue | undefined,
  path: AttrPath,
  issues: Issues,
): SourceMoment | undefined {
  if (value === undefined) return undefined;
  const object = asObject(value, path, issues);
  if (object === undefined) return undefined;
  refuseUnknown(object, ["column", "date", "zone"], path, issues);
  const { column, date, zone } = object;
  if (typeof column !== "string" || column === "") {
    issues.add([...path, "column"], "must be a column", `for example ${EXAMPLE}`);
    return undefined;
  }
  if (typeof date !== "string") {
    issues.add([...path, "date"], "must be a pattern", `for example ${EXAMPLE}`);
    return undefined;
  }
  const pattern = compileDatePattern(date);
  if (typeof pattern === "string") {
    issues.add([...path, "date"], `"${date}": ${pattern}`, datePatternHint(date));
    return undefined;
  }
  const fault = zoneFault(zone, date, pattern);
  if (fault !== undefined) {
    issues.add([...path, fault.at], fault.text, fault.hint);
    return undefined;
  }
  const inZone = typeof zone === "string" ? zone : undefined;
  const wanted = `an existing date, written as ${date}${inZone === undefined ? "" : ` (${inZone})`}`;
  return { column, wanted, read: remembering((text) => momentOf(text, pattern, inZone)) };
}

interface ZoneFault {
  readonly at: "date" | "zone";
  readonly text: string;
  readonly hint?: string;
}

/** A pattern with a time needs either a zone or the offset. */
function zoneFault(zone: JsonValue | undefined, date: string, { hasOffset }: DatePattern): ZoneFault | undefined {
  const needsZone = !hasOffset && /[Hms]/.test(date.replaceAll(/'[^']*'/g, ""));
  if (zone === undefined) {
    const hint = "add zone: Europe/London (or UTC), or XXX to the pattern";
    return needsZone ? { at: "date", text: "has no time zone", hint } : undefined;
  }
  if (typeof zone !== "string" || !isZone(zone))
    return { at: "zone", text: "must be a time zone", hint: "use a name such as Europe/London, or UTC" };
  const text = "has no effect: the pattern has no time, or contains the offset (XXX)";
  return needsZone ? undefined : { at: "zone", text };
}

const EXAMPLE = "{ column: CHANGED, date: dd/MM/yyyy }";

function momentOf(text: string, pattern: DatePattern, zone: string | undefined): number | undefined {
  const time = pattern.read(text);
  const utc = time && utcOf(time, zone);
  return utc === undefined ? undefined : Date.parse(utc);
}

function utcOf(time: PatternTime, zone: string | undefined): string | undefined {
  if (time.offset !== undefined) return utcAtOffset(time, time.offset);
  return zone === undefined || zone === "UTC" ? isoDateTime(time) : utcInZone(time, zone);
}

/** Many rows of an extract have the same moment. */
function remembering(read: SourceMoment["read"]): SourceMoment["read"] {
  let last: { readonly text: string; readonly moment: number | undefined } | undefined;
  return (text) => {
    if (last?.text !== text) last = { text, moment: read(text) };
    return last.moment;
  };
}
