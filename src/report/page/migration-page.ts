import { type DestinationReport, type MigrationReport, recordStateText } from "../../model/migration-report.ts";
import { counted, formatCount, verbOfShare } from "../../text/count.ts";
import type { Write } from "../report.ts";
import { writePage } from "../write-page.ts";
import { type Html, html, numberColumns, pageTable } from "./html.ts";
import { percent } from "./records-section.ts";
import { moment } from "./timeline-section.ts";

/** Writes `migration.html`, which shows the contents of `migration.json`. */
export async function writeMigrationPage(report: MigrationReport, write: Write): Promise<void> {
  const { destinations, open, runs, madeAt, tool } = report;
  const content = [
    html`<header>
      <p class="kicker">Migration status · ${moment(madeAt)} · ${tool}</p>
      <h1>${headline(destinations)}</h1>
    </header>`,
    html`<main id="content">${destinations.map(destinationSection)} ${openSection(open)} ${runsSection(runs)}</main>`,
  ];
  await writePage({ title: "Migration status", content, hasScript: false }, write);
}

export function headline(destinations: readonly DestinationReport[]): string {
  const total = (count: (each: DestinationReport) => number): number =>
    destinations.reduce((sum, each) => sum + count(each), 0);
  const records = total((each) => each.records);
  const done = total(({ states }) => (states["accepted"] ?? 0) + (states["excluded"] ?? 0));
  const accepted = total(({ states }) => states["accepted"] ?? 0);
  const first = `${formatCount(accepted)} of ${counted(records, "record")} ${verbOfShare(accepted, records, ["is", "are"])} on the platform with the latest content`;
  return done === records
    ? `${first}, and nothing is open.`
    : `${first}; ${formatCount(records - done)} ${records - done === 1 ? "is" : "are"} open.`;
}

function destinationSection(destination: DestinationReport, at: number): Html {
  const { target, supplier, operation, records, states } = destination;
  const name = [operation, target, supplier].filter((part) => part !== "").join(", ");
  return html`<section aria-labelledby="destination-${at}">
    <h2 id="destination-${at}">${name}</h2>
    ${pageTable({
      id: `states-${at}`,
      of: `destination-${at}`,
      title: "Records by state",
      columns: [{ name: "State" }, ...numberColumns(["Records", "Share"])],
      rows: Object.entries(states).map(([state, count]) => [
        recordStateText(state),
        formatCount(count),
        percent(records === 0 ? 0 : (100 * count) / records),
      ]),
    })}
    ${progressSection(destination, at)}
  </section>`;
}

const HEIGHT = 10;

/**
 * Renders a chart of the number of records not yet accepted at the end of each day, and a table of accepted records by
 * week.
 */
function progressSection(destination: DestinationReport, at: number): Html | undefined {
  const { records, accepted } = destination;
  const left = leftByDay(destination);
  const [first, last] = [left[0], left.at(-1)];
  if (first === undefined || last === undefined) return undefined;
  const bars = left.map(({ records: open }, day) => {
    const height = records === 0 ? 0 : Math.round((HEIGHT * 100 * open) / records) / 100;
    return html`<rect
      class="fill-idle"
      x="${day + 0.08}"
      y="${HEIGHT - height}"
      width="0.84"
      height="${height}"
    ></rect>`;
  });
  return html`<h3 id="left-${at}">Not yet accepted</h3>
    <p>
      Each column is one day (UTC), from ${first.day} to ${last.day}. The full height represents
      ${counted(records, "record")}.
    </p>
    <svg
      class="timeline"
      viewBox="0 0 ${left.length} ${HEIGHT}"
      preserveAspectRatio="none"
      role="img"
      aria-label="Records not yet accepted, by day: ${formatCount(records)} before ${first.day}, ${formatCount(last.records)} after ${last.day}"
    >
      ${bars}
    </svg>
    <div class="axis"><span>${first.day}</span><span>${last.day}</span></div>
    ${pageTable({
      id: `weeks-${at}`,
      of: `destination-${at}`,
      title: "Accepted by week",
      note: "A record is counted on the day on which the platform accepted its current content.",
      columns: [{ name: "Week of" }, { name: "Accepted", kind: "number" }],
      rows: [...weeksOf(accepted)].map(([week, count]) => [week, formatCount(count)]),
    })}`;
}

/**
 * Returns the number of records not yet accepted at the end of each day (UTC), from the first day with an accepted
 * record.
 */
export function leftByDay({ records, accepted }: DestinationReport): DestinationReport["accepted"] {
  const [first, last] = [accepted[0], accepted.at(-1)];
  if (first === undefined || last === undefined) return [];
  const counts = new Map(accepted.map((each) => [each.day, each.records]));
  let left = records;
  return Array.from({ length: (Date.parse(last.day) - Date.parse(first.day)) / DAY_MS + 1 }, (_, at) => {
    const day = new Date(Date.parse(first.day) + at * DAY_MS).toISOString().slice(0, 10);
    left -= counts.get(day) ?? 0;
    return { day, records: left };
  });
}

const DAY_MS = 86_400_000;

/** Sums accepted records by week. Each week is identified by its Monday. */
function weeksOf(accepted: DestinationReport["accepted"]): ReadonlyMap<string, number> {
  const weeks = new Map<string, number>();
  for (const { day, records } of accepted) {
    const monday = new Date(day);
    monday.setUTCDate(monday.getUTCDate() - ((monday.getUTCDay() + 6) % 7));
    const week = monday.toISOString().slice(0, 10);
    weeks.set(week, (weeks.get(week) ?? 0) + records);
  }
  return weeks;
}

function openSection(open: MigrationReport["open"]): Html {
  if (open.length === 0) {
    return html`<section aria-labelledby="open">
      <h2 id="open">Open records</h2>
      <p>No records are open.</p>
    </section>`;
  }
  const numbers = numberColumns(["Records", "0–7 days", "8–30 days", "Over 30 days"]);
  return html`<section aria-labelledby="open">
    <h2 id="open">Open records</h2>
    ${pageTable({
      id: "causes",
      of: "open",
      title: "By cause, owner and age",
      note: "A record with several causes is counted under each of them.",
      columns: [{ name: "Cause" }, { name: "Owner", kind: "plain" }, ...numbers],
      rows: open.map(({ cause, owner, records, ages }) => [cause, owner, ...[records, ...ages].map(formatCount)]),
    })}
  </section>`;
}

function runsSection(runs: MigrationReport["runs"]): Html {
  return html`<section aria-labelledby="runs">
    <h2 id="runs">Runs</h2>
    ${pageTable({
      id: "all-runs",
      of: "runs",
      title: "Latest first",
      columns: [
        { name: "Run" },
        ...["Started", "By", "State", "Outcome"].map((name) => ({ name, kind: "plain" as const })),
        { name: "Records", kind: "number" },
      ],
      rows: runs.map(({ id, startedAt, by = "", state, records, counts }) => {
        const outcome = Object.entries(counts).map(([status, count]) => `${formatCount(count)} ${status}`);
        return [id, moment(startedAt), by, state, outcome.join(", "), formatCount(records)];
      }),
    })}
  </section>`;
}
