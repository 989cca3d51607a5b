import type { RunStatus } from "../../commands/ledger/run-status.ts";
import { STATUSES } from "../../model/outcome.ts";
import { printableJson } from "../../terminal/safe-json.ts";
import { renderTable } from "../../terminal/text-table.ts";
import type { Screen } from "../../job/dependencies.ts";
import type { View } from "./view.ts";

/** Runs under each other, latest first; as data, `{"runs":[...]}`. */
export const statusView: View<readonly RunStatus[]> = {
  text: (runs, { screen }) => statusText(runs, screen),
  json: statusJson,
};

function statusText(runs: readonly RunStatus[], screen: Screen): string {
  const rows = runs.map(({ run, summary, running }) => [
    run.id,
    running ? "running" : stateOf(run),
    run.target,
    String(summary.records),
    STATUSES.flatMap((status) => (summary.counts[status] ? [`${summary.counts[status]} ${status}`] : [])).join(", "),
  ]);
  const columns = [
    { title: "run" },
    { title: "state" },
    { title: "target" },
    { title: "records", align: "right" },
    { title: "outcome" },
  ] as const;
  return renderTable(rows, columns, screen);
}

function statusJson(runs: readonly RunStatus[]): string {
  const listed = runs.map(({ run, summary, running }) => {
    const { settings: _settings, ...known } = run;
    return { ...known, running, summary: { records: summary.records, ...summary.counts, errors: summary.errors } };
  });
  return `${printableJson({ runs: listed }, "indented")}\n`;
}

function stateOf({ state, exitCode, dryRun }: RunStatus["run"]): string {
  if (exitCode === undefined) return "interrupted";
  const name = dryRun ? "dry run" : state === "finished" ? state : "stopped";
  return `${name} (${exitCode})`;
}
