import { type LedgerStatus, status, type StatusOptions } from "../../../commands/ledger/run-status.ts";
import { printableJson } from "../../../terminal/safe-json.ts";
import type { InspectFlags } from "../../options/options.ts";
import type { Context } from "../../process/context.ts";
import { isTerminal, redraw } from "../../process/terminal.ts";
import { statusData, statusText } from "./status-view.ts";

const EVERY_MS = 2000;
/**
 * Refreshes the status until no run is active or the user stops the command. On a terminal, redraws the screen.
 * Elsewhere, writes a new block, or one JSON object per line, after each change.
 */
export async function watchStatus(
  options: StatusOptions,
  { format }: InspectFlags,
  { dependencies, write, isStdoutOpen, stdout }: Context,
): Promise<number> {
  const { clock, drain, screen } = dependencies;
  const isRedrawn = format !== "json" && isTerminal(stdout);
  let shown = "";
  while (!drain.aborted && isStdoutOpen()) {
    // The coverage is counted only at the end, because counting is slow and the result is soon outdated.
    const seen = await status({ ...options, coverage: [] }, dependencies);
    const isOver = seen.runs.every(({ state }) => state !== "running");
    const current = isOver ? await status(options, dependencies) : seen;
    const text = format === "json" ? `${printableJson(statusData(current))}\n` : statusText(current, screen);
    const key = isRedrawn ? text : changeOf(current);
    if (key !== shown) await write(isRedrawn ? redraw(text) : `${text}${format === "json" ? "" : "\n"}`);
    shown = key;
    if (isOver) break;
    await clock.sleep(EVERY_MS, drain);
  }
  return 0;
}

/** Returns a string that changes with the counts and states, but not with the elapsed time. */
function changeOf({ runs, coverage }: LedgerStatus): string {
  const known = runs.map(({ run, state, summary, progress, shared }) => {
    const { pace, wait, closedSuppliers } = progress?.sending ?? {};
    const workers = shared?.workers.map((worker) => [worker.id, worker.state]);
    const sending = [pace, wait?.reason, closedSuppliers];
    return [run.id, state, summary.counts, progress?.input, sending, shared?.ranges, workers];
  });
  return JSON.stringify([known, coverage]);
}
