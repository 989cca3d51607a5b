import {
  causesOf,
  type Grouping,
  type OpenCounts,
  type OpenGroup,
  totalOf,
} from "../../../commands/ledger/open-records.ts";
import type { Screen } from "../../../job/dependencies.ts";
import { OPEN_STATES, type OpenRecord, type OpenState, type RecordState } from "../../../ledger/migration-state.ts";
import { csvText, shownCell } from "../../../report/csv-text.ts";
import { printableJson } from "../../../terminal/safe-json.ts";
import { renderTable, streamedTable } from "../../../terminal/text-table.ts";
import { cutText } from "../../../terminal/text-width.ts";
import { counted, formatCount } from "../../../text/count.ts";
import { plainText } from "../../../text/plain-text.ts";

export type OpenFormat = "text" | "csv" | "ndjson";

export interface OpenScreen {
  readonly screen: Screen;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** Renders batches of open records, one after the other. */
export interface OpenWriter {
  readonly add: (records: readonly OpenRecord[]) => string;
  readonly end: (counts: OpenCounts) => string;
}

export function openWriter(format: OpenFormat, { screen, now }: OpenScreen): OpenWriter {
  if (format === "text") return textWriter(screen, now);
  if (format === "ndjson") {
    const lines = (records: readonly OpenRecord[]): string[] => records.map((record) => jsonLine(record, now));
    return { add: (records) => lines(records).join(""), end: () => "" };
  }
  const first = { header: csvText([COLUMNS]) };
  const header = (): string => {
    const text = first.header;
    first.header = "";
    return text;
  };
  return {
    add: (records) => header() + csvText(records.map((record) => csvRow(record, now).map(shownCell))),
    end: header,
  };
}

/** A table for each run: its latest records first. */
function textWriter(screen: Screen, now: number): OpenWriter {
  let shown: string | undefined;
  let table: ReturnType<typeof streamedTable> | undefined;
  return {
    add(records) {
      const parts: string[] = [];
      for (const rows of byRun(records)) {
        const [first] = rows;
        if (first === undefined) continue;
        const { run: of, target, supplier } = first;
        const group = `${of} ${target}`;
        if (table === undefined || group !== shown) {
          const title = of === "" ? `Missing${target === "" ? "" : ` on ${target}`}` : `Run ${of}, ${target}`;
          const where = plainText(supplier === "" ? title : `${title}, supplier ${supplier}`);
          parts.push(`${shown === undefined ? "" : "\n"}${cutText(where, screen.width)}\n`);
          table = streamedTable(
            [{ title: "key" }, { title: "status" }, { title: "age" }, { title: "place" }, { title: "cause" }],
            screen,
          );
        }
        shown = group;
        parts.push(table(rows.map((record) => textRow(record, now))));
      }
      return parts.join("");
    },
    end: (counts) => `${shown === undefined ? "" : "\n"}${totalText(counts)}\n`,
  };
}

function byRun(records: readonly OpenRecord[]): readonly (readonly OpenRecord[])[] {
  const parts: OpenRecord[][] = [];
  for (const record of records) {
    const last = parts.at(-1);
    const [first] = last ?? [];
    if (first?.run === record.run && first.target === record.target) last?.push(record);
    else parts.push([record]);
  }
  return parts;
}

const MAX_CAUSES = 3;

function textRow(record: OpenRecord, now: number): readonly string[] {
  const { key = "-", state, since, source } = record;
  const causes = causesOf(record);
  const more = causes.length > MAX_CAUSES ? [`${causes.length - MAX_CAUSES} more`] : [];
  const shown = causes.slice(0, MAX_CAUSES).flatMap(({ code, attr }) => (attr === undefined ? [] : `${code} ${attr}`));
  const age = `${daysSince(since, now)} d`;
  return [key, stateText(state), age, `${source.file}:${source.line ?? ""}`, [...shown, ...more].join(", ")];
}

/** The words for a state. */
export function stateText(state: RecordState | OpenState): string {
  return state === "outdated" ? "out of date" : state;
}

/** `182 open records: 120 invalid, 62 rejected`. */
function totalText(counts: OpenCounts): string {
  const total = totalOf(counts);
  if (total === 0) return "No record is open";
  return `${counted(total, "open record")}: ${countsText(counts)}`;
}

function countsText(counts: OpenCounts): string {
  const present = OPEN_STATES.flatMap((state) => {
    const count = counts.get(state);
    return count === undefined ? [] : [`${formatCount(count)} ${stateText(state)}`];
  });
  return present.join(", ");
}

const DAY_MS = 86_400_000;

/** Complete days. */
function daysSince(since: string, now: number): number {
  return Math.max(0, Math.floor((now - Date.parse(since)) / DAY_MS));
}

const COLUMNS = ["key", "status", "cause", "since", "age_days", "file", "line", "run", "target", "supplier"];

function csvRow(record: OpenRecord, now: number): readonly string[] {
  const { key = "", state, since, source, run, target, supplier } = record;
  const cause = causesOf(record).map(({ code, attr }) => (attr === undefined ? code : `${code} ${attr}`));
  const line = source.line === undefined ? "" : String(source.line);
  const age = String(daysSince(since, now));
  return [key, state, cause.join("; "), since, age, source.file, line, run, target, supplier];
}

function jsonLine(record: OpenRecord, now: number): string {
  const { key, state, since, source, run, target, supplier } = record;
  const where = { source: { file: source.file, line: source.line }, run, target, supplier };
  const what = { status: state, causes: causesOf(record), since, ageDays: daysSince(since, now), ...where };
  return `${printableJson(key === undefined ? what : { key, ...what })}\n`;
}

export interface OpenGroups {
  readonly by: Grouping;
  readonly groups: readonly OpenGroup[];
  readonly counts: OpenCounts;
}

export function openGroupsText({ by, groups, counts }: OpenGroups, format: OpenFormat, { screen }: OpenScreen): string {
  if (format === "text") {
    const rows = groups.map((group) => [group.name, formatCount(group.records), countsText(group.counts)]);
    const columns = [{ title: by }, { title: "records", align: "right" }, { title: "status" }] as const;
    return `${groups.length === 0 ? "" : `${renderTable(rows, columns, screen)}\n`}${totalText(counts)}\n`;
  }
  if (format === "csv") {
    const rows = groups.map((group) =>
      [group.name, group.records, ...OPEN_STATES.map((state) => group.counts.get(state) ?? 0)].map((cell) =>
        shownCell(String(cell)),
      ),
    );
    return csvText([[by, "records", ...OPEN_STATES], ...rows]);
  }
  return groups
    .map(
      (group) =>
        `${printableJson({ [by]: group.name, records: group.records, ...Object.fromEntries(group.counts) })}\n`,
    )
    .join("");
}
