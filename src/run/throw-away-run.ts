import type { Ledger, Run } from "../ledger/ledger.ts";
import { openTemporaryLedger } from "../ledger/sqlite-ledger.ts";
import type { Job } from "./job.ts";
import type { Parts } from "./parts.ts";

/** A run that sends nothing, alone in a ledger that is gone when it is closed. */
export interface ThrowAwayRun {
  readonly ledger: Ledger;
  readonly run: Run;
  readonly close: () => Promise<void>;
}

/** Starts the run of a command that only reads the job's input. @throws Failure `storage` */
export async function openThrowAwayRun(
  command: "validate" | "documents check",
  job: Job,
  { temporaryFolder, clock }: Pick<Parts, "temporaryFolder" | "clock">,
): Promise<ThrowAwayRun> {
  const ledger = await openTemporaryLedger(temporaryFolder, { large: isLarge(job) });
  const close = (): Promise<void> => ledger.close();
  try {
    const run = await ledger.startRun({
      command,
      target: "",
      supplier: job.settings.supplier ?? "",
      operation: job.operation.id,
      settings: {},
      dryRun: false,
      startedAt: new Date(clock.now()).toISOString(),
    });
    return { ledger, run, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** From here on a second thread for the plan is started sooner than it has paid for itself. */
const LARGE_BYTES = 8_000_000;

function isLarge({ input }: Job): boolean {
  return input.files.reduce((sum, { bytes }) => sum + bytes, 0) >= LARGE_BYTES;
}
