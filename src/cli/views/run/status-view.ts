import type { LedgerStatus, RunStatus } from "../../../commands/ledger/run-status.ts";
import type { Screen } from "../../../job/dependencies.ts";
import { type SendProgress, sendTotals } from "../../../job/run-progress.ts";
import type { InventoryState } from "../../../job/inventory/inventory-state.ts";
import type { Coverage, Run } from "../../../ledger/records/run.ts";
import { type DestinationState, RECORD_STATES } from "../../../ledger/migration-state.ts";
import type { VerifiedCounts } from "../../../ledger/records/verifications.ts";
import { recordStateText } from "../../../model/migration-report.ts";
import { STATUSES, type Summary } from "../../../model/outcome.ts";
import { plainText } from "../../../text/plain-text.ts";
import { indentedJson } from "../../../terminal/safe-json.ts";
import { renderTable } from "../../../terminal/text-table.ts";
import { cutText, textWidth, wrapText } from "../../../terminal/text-width.ts";
import { counted, countsByName, duration, formatCount, percent, rateText } from "../../../text/count.ts";
import { sharedLines } from "./shared-status-view.ts";
import { paceText, suppliersText } from "../../progress/progress-text.ts";
import type { View } from "../view.ts";

/**
 * Shows a table of runs for each target, latest first, with one line per run. Shows the active run, or the only run, in
 * detail. The coverage states how many planned records of all runs are on the platform. As data,
 * `{"runs":[...],"coverage":[...]}`.
 */
export const statusView: View<LedgerStatus> = {
  text: (status, { screen }) => statusText(status, screen),
  json: (status) => indentedJson(statusData(status)),
};

export function statusText({ runs, coverage, migration = [], inventory = [] }: LedgerStatus, screen: Screen): string {
  const [only] = runs;
  const shown = runs.length === 1 ? only : runs.find(({ state }) => state === "running");
  const parts = [
    ...(migration.length === 0 ? [] : [migrationText(migration, screen)]),
    ...inventory.map((each) => inventoryText(each, screen)),
    ...(runs.length > 1 ? runTables(runs, screen) : []),
    ...(shown === undefined ? [] : [runText(shown, screen)]),
    ...(coverage.length === 0 ? [] : [coverageText(coverage, screen)]),
  ];
  return parts.length === 0 ? "The ledger has no runs\n" : parts.join("\n");
}

function migrationText(migration: readonly DestinationState[], screen: Screen): string {
  const blocks = migration.map(({ target, supplier, operation, records, counts, withoutKey, verified }) => {
    const where = [target, ...(supplier === "" ? [] : [`supplier ${supplier}`]), operation];
    const present = RECORD_STATES.filter((state) => state === "accepted" || counts[state] > 0);
    const rows = [
      ["seen", formatCount(records), ""],
      ...present.map((state) => [recordStateText(state), formatCount(counts[state]), percent(counts[state], records)]),
      ...(withoutKey === 0 ? [] : [["rows without a key", formatCount(withoutKey), ""]]),
      ...(verified === undefined ? [] : verifiedRows(verified, counts.accepted + counts.outdated)),
    ];
    return countsBlock(`Migration to ${where.map((part) => plainText(part)).join(", ")}`, rows, screen);
  });
  return blocks.join("\n");
}

/** Returns rows (name, number, share) about the accepted records that were compared with the platform. */
function verifiedRows({ at, ...results }: VerifiedCounts, accepted: number): readonly (readonly string[])[] {
  const compared = results.same + results.different + results.absent;
  return [
    [`compared, last on ${at.slice(0, 10)}`, formatCount(compared), percent(compared, accepted)],
    ...Object.entries(results).flatMap(([name, count]) => (count > 0 ? [[`  ${name}`, formatCount(count), ""]] : [])),
  ];
}

function countsBlock(title: string, rows: readonly (readonly string[])[], screen: Screen): string {
  const width = (column: number): number => Math.max(...rows.map((row) => textWidth(row[column] ?? "")));
  const lines = rows.map(([name = "", count = "", share = ""]) =>
    `${INDENT}${name.padEnd(width(0))}  ${count.padStart(width(1))}  ${share}`.trimEnd(),
  );
  return [cutText(title, screen.width), ...lines].map((line) => `${line}\n`).join("");
}

function inventoryText({ target, expected, seen, missing }: InventoryState, screen: Screen): string {
  const rows = [
    ["expected", formatCount(expected), ""],
    ["seen", formatCount(seen), percent(seen, expected)],
    ["missing", formatCount(missing), percent(missing, expected)],
  ];
  return countsBlock(target === "" ? "Inventory" : `Inventory of ${plainText(target)}`, rows, screen);
}

function runTables(runs: readonly RunStatus[], screen: Screen): readonly string[] {
  const targets = [...new Set(runs.map(({ run }) => run.target))];
  return targets.map((target) => {
    const shown = runs.filter(({ run }) => run.target === target);
    return `${cutText(`Runs against ${plainText(target)}, latest first`, screen.width)}\n${runTable(shown, screen)}`;
  });
}

function runTable(runs: readonly RunStatus[], screen: Screen): string {
  const rows = runs.map(({ run, summary, state }) => [
    run.id,
    // Omits `complete`, to leave room for the column `outcome`.
    run.dryRun && state === "complete" ? `dry run (${run.exitCode ?? 0})` : stateText(run, state),
    formatCount(summary.records),
    countsText(summary.counts),
  ]);
  const columns = ["run", "state", { title: "records", align: "right" }, { title: "outcome", isCut: true }] as const;
  return renderTable(rows, columns, screen);
}

function stateText({ exitCode, dryRun }: Run, state: RunStatus["state"]): string {
  const words = dryRun ? `dry run, ${state}` : state;
  return exitCode === undefined || state === "running" ? words : `${words} (${exitCode})`;
}

function countsText(counts: Summary["counts"]): string {
  return countsByName(counts, STATUSES).join(", ");
}

function runText(
  { run, summary, ambiguousBefore = 0, by, state, progress, shared }: RunStatus,
  { width }: Screen,
): string {
  const where = run.supplier === "" ? run.target : `${run.target}, supplier ${run.supplier}`;
  const { counts, records } = summary;
  const { total, done, counts: sent } = sendTotals(counts, ambiguousBefore);
  const settled = [`${formatCount(done)} of ${formatCount(total)} (${percent(done, total)})`, countsText(sent)];
  const isPlanned = run.state !== "planning";
  const { input } = progress ?? {};
  const read =
    input && `${percent(input.bytes, input.ofBytes)} of the input, ${counted(input.records, "record")} so far`;
  const lines: readonly (readonly [string, string | undefined])[] = [
    ["state", `${stateText(run, state)}, ${timesText(run, progress?.elapsedMs)}`],
    ["to", `${where}, ${run.operation}`],
    ["by", by],
    ["records", recordsText(records, counts, ambiguousBefore)],
    ["read", isPlanned ? undefined : read],
    ["sent", isPlanned && total > 0 ? settled.filter((part) => part !== "").join(": ") : undefined],
    ...(shared === undefined || shared.state === "ended" ? nowLines(progress?.sending) : sharedLines(shared)),
  ];
  const shown = lines.flatMap(([name, text]) =>
    text === undefined ? [] : [subjectText(name, plainText(text, MAX_TEXT), width)],
  );
  return `Run ${run.id}\n${shown.join("")}`;
}

const NAME_WIDTH = 9;
const INDENT = "  ";
/** Maximum length of a subject in characters. The list of a worker's ranges can be long. */
const MAX_TEXT = 4000;

function subjectText(name: string, text: string, width: number): string {
  const [first = "", ...below] = wrapPhrases(text, width - INDENT.length - NAME_WIDTH);
  const lines = [name.padEnd(NAME_WIDTH) + first, ...below.map((line) => " ".repeat(NAME_WIDTH) + INDENT + line)];
  return lines.map((line) => `${INDENT}${line}\n`).join("");
}

/** Breaks lines after commas, semicolons and colons where possible. Lines after the first are indented and shorter. */
function wrapPhrases(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  for (const phrase of text.split(/(?<=[,;:]) /)) {
    const room = lines.length < 2 ? width : width - INDENT.length;
    const longer = lines.length === 0 ? phrase : `${lines.at(-1)} ${phrase}`;
    if (lines.length > 0 && textWidth(longer) <= room) lines[lines.length - 1] = longer;
    else lines.push(...wrapText(phrase, width - INDENT.length));
  }
  return lines;
}

function recordsText(records: number, counts: Summary["counts"], ambiguous: number): string {
  const { invalid = 0, skipped = 0, duplicate = 0, stale = 0, excluded = 0 } = counts;
  const notSent = countsText({ invalid, ambiguous, skipped, duplicate, stale, excluded });
  return notSent === "" ? formatCount(records) : `${formatCount(records)}, of which ${notSent}`;
}

/** Describes the start of a run and its duration, such as `since 2026-11-22 17:50:03 UTC (4 min)`. */
function timesText({ startedAt, finishedAt }: Run, elapsedMs: number | undefined): string {
  const took = finishedAt === undefined ? elapsedMs : Date.parse(finishedAt) - Date.parse(startedAt);
  const since = `since ${startedAt.slice(0, 19).replace("T", " ")} UTC`;
  return took === undefined ? since : `${since} (${duration(took)})`;
}

function nowLines(sending: SendProgress | undefined): readonly (readonly [string, string | undefined])[] {
  if (sending === undefined) return [];
  const { perSecond, inFlight, wait, closedSuppliers, leftMs } = sending;
  const waits = wait === undefined ? undefined : `for ${duration(wait.forMs)}: ${wait.reason}`;
  return [
    ["now", `${rateText(perSecond)}/s, ${formatCount(inFlight)} in flight`],
    ["pace", paceText(sending.pace)],
    ["waiting", waits ?? (closedSuppliers.length === 0 ? undefined : `for ${suppliersText(closedSuppliers)}`)],
    ["left", leftMs === undefined ? undefined : duration(leftMs)],
  ];
}

function coverageText(coverage: readonly Coverage[], { width }: Screen): string {
  const title = "On the platform, across all runs";
  const counts = coverage.map(
    ({ accepted, records }) =>
      `${formatCount(accepted)} of ${counted(records, "record")} (${percent(accepted, records)})`,
  );
  if (counts.length === 1) return `${title}: ${counts.join("")}\n`;
  const counter = Math.max(...counts.map(textWidth)) + 2;
  const lines = coverage.flatMap(({ operation, target, supplier }, at) => {
    const where = [operation, target, supplier].filter((part) => part !== "").map((part) => plainText(part));
    const wrapped = wrapPhrases(where.join(", "), width - INDENT.length - counter);
    return wrapped.map((text, line) => `${INDENT}${(line === 0 ? (counts[at] ?? "") : "").padEnd(counter)}${text}\n`);
  });
  return `${title}\n${lines.join("")}`;
}

export function statusData({ runs, coverage, migration, inventory, unplanned }: LedgerStatus): object {
  const listed = runs.map(({ run, summary, by, state, progress, shared }) => {
    const { settings: _settings, ...known } = run;
    const { records, counts, errors } = summary;
    return {
      ...known,
      by,
      state,
      running: state === "running",
      summary: { records, ...counts, errors },
      progress,
      shared: shared && { ...shared, run: undefined },
    };
  });
  return { migration, inventory, unplanned: unplanned || undefined, runs: listed, coverage };
}
