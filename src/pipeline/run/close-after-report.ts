import type { RunReport, ShownRun } from "./run-report.ts";

interface Closable {
  readonly close: () => Promise<void>;
}

/** Takes note of something that is to be closed in the end, and hands it on. */
export type CloseLater = <T extends Closable>(opened: T) => T;

/**
 * Does work that opens things and ends in a report. They are closed in reverse order: with the report, once it has been
 * shown, or at once when the work fails.
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

/** The last one first; one that fails does not keep the others open. */
async function closeAll(opened: Closable[]): Promise<void> {
  const last = opened.pop();
  if (last === undefined) return;
  try {
    await last.close();
  } finally {
    await closeAll(opened);
  }
}
