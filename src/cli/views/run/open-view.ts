import { type Grouping, type OpenCounts, type OpenGroup, totalOf } from "../../../commands/ledger/open-records.ts";
import type { Screen } from "../../../job/dependencies.ts";
import { OPEN_STATES } from "../../../ledger/migration-state.ts";
import { recordStateText } from "../../../model/migration-report.ts";
import { csvText, shownCell } from "../../../report/csv-text.ts";
import type { OwnedOpenRecord } from "../../../pipeline/owners/each-open-record.ts";
import { causesOf, causeText, daysSince, dueDay, isOverdue } from "../../../pipeline/owners/record-owner.ts";
import { indentedJson, printableJson } from "../../../terminal/safe-json.ts";
import { renderTable, streamedTable, type StreamedTable } from "../../../terminal/text-table.ts";
import { cutText } from "../../../terminal/text-width.ts";
import { counted, formatCount } from "../../../text/count.ts";
import { plainText } from "../../../text/plain-text.ts";
import { type BatchWriter, csvTable, jsonLines, type ListFormat } from "../record-writers.ts";
import type { View } from "../view.ts";

export interface OpenScreen {
  readonly screen: Screen;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Whether records are shown with their owners. */
  readonly hasOwners: boolean;
}

type OpenWriter = BatchWriter<OwnedOpenRecord, OpenCounts>;

export function openWriter(format: ListFormat, shown: OpenScreen): OpenWriter {
  if (format === "text") return textWriter(shown);
  if (format === "ndjson") return jsonLines((record) => openData(record, shown));
  const titles = shown.hasOwners ? [...COLUMNS, ...OWNER_COLUMNS] : COLUMNS;
  return csvTable(titles, (record) => csvRow(record, shown));
}

/** Renders a table for each group of consecutive records with the same run and target. */
function textWriter(shown: OpenScreen): OpenWriter {
  const { screen, hasOwners } = shown;
  let current: string | undefined;
  let table: StreamedTable | undefined;
  return {
    add(records) {
      const parts: string[] = [];
      for (const rows of byRun(records)) {
        const [first] = rows;
        if (first === undefined) continue;
        const { run: of, target, supplier } = first;
        const group = `${of} ${target}`;
        if (table === undefined || group !== current) {
          const title = of === "" ? `Missing${target === "" ? "" : ` on ${target}`}` : `Run ${of}, ${target}`;
          const where = plainText(supplier === "" ? title : `${title}, supplier ${supplier}`);
          parts.push(`${current === undefined ? "" : "\n"}${cutText(where, screen.width)}\n`);
          table = streamedTable(["key", "status", "age", ...(hasOwners ? ["owner"] : []), "place", "cause"], screen);
        }
        current = group;
        parts.push(table(rows.map((record) => textRow(record, shown))));
      }
      return parts.join("");
    },
    end: (counts) => `${current === undefined ? "" : "\n"}${totalText(counts)}\n`,
  };
}

function byRun(records: readonly OwnedOpenRecord[]): readonly (readonly OwnedOpenRecord[])[] {
  const parts: OwnedOpenRecord[][] = [];
  for (const record of records) {
    const last = parts.at(-1);
    if (last?.[0]?.run === record.run && last[0].target === record.target) last.push(record);
    else parts.push([record]);
  }
  return parts;
}

const MAX_CAUSES = 3;
const MAX_OWNER_WIDTH = 16;

function textRow(record: OwnedOpenRecord, { now, hasOwners }: OpenScreen): readonly string[] {
  const { key = "-", state, since, source, owner } = record;
  const causes = causesOf(record);
  const more = causes.length > MAX_CAUSES ? [`${causes.length - MAX_CAUSES} more`] : [];
  const shown = causes.slice(0, MAX_CAUSES).flatMap(({ code, attr }) => (attr === undefined ? [] : `${code} ${attr}`));
  const age = `${daysSince(since, now)} d${isOverdue(record, owner, now) ? " !" : ""}`;
  const whose = hasOwners ? [cutText(owner?.name ?? "", MAX_OWNER_WIDTH)] : [];
  return [
    key,
    recordStateText(state),
    age,
    ...whose,
    `${source.file}:${source.line ?? ""}`,
    [...shown, ...more].join(", "),
  ];
}

/** Describes the total and its parts, such as `182 open records: 120 invalid, 62 rejected`. */
function totalText(counts: OpenCounts): string {
  const total = totalOf(counts);
  return total === 0 ? "No records are open" : `${counted(total, "open record")}: ${countsText(counts)}`;
}

function countsText(counts: OpenCounts): string {
  const present = OPEN_STATES.filter((state) => counts.has(state));
  return present.map((state) => `${formatCount(counts.get(state) ?? 0)} ${recordStateText(state)}`).join(", ");
}

const COLUMNS = ["key", "status", "cause", "since", "age_days", "file", "line", "run", "target", "supplier"];

const OWNER_COLUMNS = ["owner", "address", "due"];

function csvRow(record: OwnedOpenRecord, { now, hasOwners }: OpenScreen): readonly string[] {
  const { key = "", state, since, source, run, target, supplier, owner } = record;
  const causes = causesOf(record).map(causeText);
  const line = source.line === undefined ? "" : String(source.line);
  const age = String(daysSince(since, now));
  const whose = hasOwners ? [owner?.name ?? "", owner?.address ?? "", dueDay(record, owner) ?? ""] : [];
  return [key, state, causes.join("; "), since, age, source.file, line, run, target, supplier, ...whose];
}

function openData(record: OwnedOpenRecord, { now }: OpenScreen): object {
  const { key, state, since, source, run, target, supplier, owner } = record;
  const where = { source: { file: source.file, line: source.line }, run, target, supplier };
  const whose = owner && { owner: { ...owner, due: dueDay(record, owner), overdue: isOverdue(record, owner, now) } };
  return { key, status: state, causes: causesOf(record), since, ageDays: daysSince(since, now), ...where, ...whose };
}

/** Shows the number of open records in each group. As data, `{"groups":[...]}`. */
export const openGroupsView: View<OpenGroups> = {
  text: (groups, { screen }) => openGroupsText(groups, "text", screen),
  json: ({ by, groups }) => {
    const data = groups.map(({ name, records, counts }) => ({ [by]: name, records, ...Object.fromEntries(counts) }));
    return indentedJson({ groups: data });
  },
};

export interface OpenGroups {
  readonly by: Grouping;
  readonly groups: readonly OpenGroup[];
  readonly counts: OpenCounts;
}

export function openGroupsText({ by, groups, counts }: OpenGroups, format: ListFormat, screen: Screen): string {
  const isOwner = by === "owner";
  if (format === "text") {
    const rows = groups.map(({ name, records, overdue = 0, counts: own }) => [
      name,
      formatCount(records),
      ...(isOwner ? [formatCount(overdue)] : []),
      countsText(own),
    ]);
    const numbers = ["records", ...(isOwner ? ["overdue"] : [])].map((title) => ({ title, align: "right" }) as const);
    const columns = [by, ...numbers, "status"];
    return `${groups.length === 0 ? "" : `${renderTable(rows, columns, screen)}\n`}${totalText(counts)}\n`;
  }
  if (format === "csv") {
    const rows = groups.map(({ name, records, overdue = 0, counts: own }) =>
      [name, records, ...(isOwner ? [overdue] : []), ...OPEN_STATES.map((state) => own.get(state) ?? 0)].map((cell) =>
        shownCell(String(cell)),
      ),
    );
    return csvText([[by, "records", ...(isOwner ? ["overdue"] : []), ...OPEN_STATES], ...rows]);
  }
  return groups
    .map(({ name, records, overdue, counts: own }) => {
      const about = { [by]: name, records, ...(isOwner && { overdue }) };
      return `${printableJson({ ...about, ...Object.fromEntries(own) })}\n`;
    })
    .join("");
}
