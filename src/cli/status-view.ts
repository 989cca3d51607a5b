import type { RunStatus } from "../commands/status.ts";
import { STATUSES } from "../model/outcome.ts";
import { renderTable } from "../report/table.ts";
import type { Screen } from "../run/parts.ts";

/** Runs under each other, latest first. */
export function statusText(runs: readonly RunStatus[], screen: Screen): string {
  const rows = runs.map(({ run, summary }) => [
    run.id,
    run.dryRun ? "dry run" : stateOf(run.state, run.exitCode),
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

/** The same as data: `{"runs":[...]}`. */
export function statusJson(runs: readonly RunStatus[]): string {
  const listed = runs.map(({ run, summary }) => {
    const { settings: _settings, ...known } = run;
    return { ...known, summary: { records: summary.records, ...summary.counts, errors: summary.errors } };
  });
  return `${JSON.stringify({ runs: listed }, undefined, 2)}\n`;
}

function stateOf(state: string, exitCode: number | undefined): string {
  return exitCode === undefined ? `${state} (interrupted)` : `${state} (${exitCode})`;
}
