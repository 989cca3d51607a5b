import type { RunReport, ShownRun } from "./run-report.ts";

interface Closable {
  readonly close: () => Promise<void>;
}

/** Registers a resource to close at the end, and returns it. */
export type CloseLater = <T extends Closable>(opened: T) => T;

/**
 * Runs work that opens resources and returns a report. `close` of the report closes the resources in reverse order. If
 * the work fails, they are closed immediately.
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

/** Closes the resources in reverse order. If closing one fails, the others are still closed. */
async function closeAll(opened: Closable[]): Promise<void> {
  const last = opened.pop();
  if (last === undefined) return;
  try {
    await last.close();
  } finally {
    await closeAll(opened);
  }
}
