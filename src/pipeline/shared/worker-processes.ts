import type { ProcessEnvironment, StartedProcess } from "../../job/dependencies.ts";
import { Failure } from "../../model/failure.ts";
import type { Sleeper } from "../../time/clock.ts";

/** Starts `count` processes of this program with these arguments. */
type StartProcesses = (count: number, words: readonly string[]) => readonly StartedProcess[];

/** Time that a worker has to receive its replies and write to the server before it is killed. */
const GRACE_MS = 40_000;

/**
 * Runs work that starts local workers. When the work ends or must stop, asks the workers to stop and waits for them.
 */
export async function withWorkerProcesses<Result>(
  { drain, abort, clock, startProcess }: ProcessEnvironment,
  work: (start: StartProcesses) => Promise<Result>,
): Promise<Result> {
  const processes: StartedProcess[] = [];
  const stop = (): void => processes.forEach((one) => one.stop());
  drain.addEventListener("abort", stop);
  abort.addEventListener("abort", stop);
  try {
    return await work((count, words) => {
      while (processes.length < count) {
        if (startProcess === undefined) throw new Failure("usage", "workers can be started only from the command line");
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

/**
 * Waits until the processes have ended. Kills them after `GRACE_MS`, because a suspended process does not react to the
 * request to stop.
 */
async function untilEnded(processes: readonly StartedProcess[], clock: Sleeper): Promise<void> {
  const allEnded = new AbortController();
  const ended = Promise.all(processes.map((one) => one.ended)).then(() => allEnded.abort());
  await clock.sleep(GRACE_MS, allEnded.signal);
  for (const one of processes) one.kill();
  await ended;
}

/** Returns the arguments of the command that joins a run. */
export function workerWords({ id }: { readonly id: string }, { name }: { readonly name: string }): readonly string[] {
  return ["worker", "--run", id, "--ledger", name, "--quiet"];
}
