import type { Dependencies, StartedProcess } from "../../job/dependencies.ts";
import type { Run } from "../../ledger/ledger.ts";
import type { LedgerStore } from "../../ledger/ledger-store.ts";
import { Failure } from "../../model/failure.ts";

type ProcessDependencies = Pick<Dependencies, "drain" | "abort" | "clock" | "startProcess">;

/** Starts so many processes with these words behind the program's name. */
type StartProcesses = (count: number, words: readonly string[]) => readonly StartedProcess[];

/** A worker waits so long for its answers, and a little more for the server. */
const GRACE_MS = 40_000;

/** Work during which workers are started on this machine: they are asked to end when it is over, or is to stop, and waited for. */
export async function withWorkerProcesses<Result>(
  { drain, abort, clock, startProcess }: ProcessDependencies,
  work: (start: StartProcesses) => Promise<Result>,
): Promise<Result> {
  const processes: StartedProcess[] = [];
  const stop = (): void => processes.forEach((one) => one.stop());
  drain.addEventListener("abort", stop);
  abort.addEventListener("abort", stop);
  try {
    return await work((count, words) => {
      while (processes.length < count) {
        if (startProcess === undefined) throw new Failure("usage", "workers can be started by the command line alone");
        processes.push(startProcess(words));
      }
      return processes;
    });
  } finally {
    drain.removeEventListener("abort", stop);
    abort.removeEventListener("abort", stop);
    stop();
    await untilEnded(processes, clock);
  }
}

/** One that stands still does not hear that it is to end; it holds nothing any more. */
async function untilEnded(processes: readonly StartedProcess[], clock: Dependencies["clock"]): Promise<void> {
  const allEnded = new AbortController();
  const ended = Promise.all(processes.map((one) => one.ended)).then(() => allEnded.abort());
  await clock.sleep(GRACE_MS, allEnded.signal);
  for (const one of processes) one.kill();
  await ended;
}

/** The words of the command that joins a run. */
export function workerWords({ id }: Pick<Run, "id">, { name }: Pick<LedgerStore, "name">): readonly string[] {
  return ["worker", "--run", id, "--ledger", name, "--quiet"];
}
