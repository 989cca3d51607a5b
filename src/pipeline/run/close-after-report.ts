import type { RunReport, ShownRun } from "./run-report.ts";

interface Closable {
  readonly close: () => Promise<void>;
}

/** Registers a resource to close at the end, and returns it. */
export type CloseLater = <T extends Closable>(opened: T) => T;

/**
 * Runs work that opens resources and returns a report. The report's `close` closes the resources in reverse order. If
 * the work fails, closes the resources immediately.
 */
export async function closeAfterReport(work: (closeLater: CloseLater) => Promise<ShownRun>): Promise<RunReport> {
  const opened: Closable[] = [];
  const closeLater: CloseLater = (one) => {
    opened.push(one);
    return one;
  };
  try {
    return { ...(await work(closeLater)), close: () => closeAll(opened) };
  } catch (error) {
    await closeAll(opened).catch(() => undefined);
    throw error;
  }
}

/** Closes the resources in reverse order. If closing a resource fails, still closes the remaining resources. */
async function closeAll(opened: Closable[]): Promise<void> {
  const last = opened.pop();
  if (last === undefined) return;
  try {
    await last.close();
  } finally {
    await closeAll(opened);
  }
}
