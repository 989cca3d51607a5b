import { Worker } from "node:worker_threads";
import { endThread } from "../../model/ended-thread.ts";
import { Failure } from "../../model/failure.ts";
import { type Settled, settled } from "../../time/settled.ts";

/** Work for a worker, and the buffers to move instead of copying. */
export interface Task<Message> {
  readonly message: Message;
  readonly transfer: readonly ArrayBuffer[];
}

interface PoolOptions<Answer, Message> {
  /** The module that each worker runs. It replies to every message with one message, in order. */
  readonly entry: URL;
  readonly workerData: unknown;
  /** Maximum number of workers. Another worker starts only when all running workers are busy. */
  readonly workers: number;
  /** Runs a task in the calling thread, which would otherwise only wait. */
  readonly here?: ((message: Message) => Answer | Promise<Answer>) | undefined;
  /** When this signal aborts, answers are awaited for at most `STOP_GRACE_MS`. */
  readonly signal?: AbortSignal | undefined;
}

const STOP_GRACE_MS = 1000;

/** Number of tasks per worker: one running and some queued, so that a worker never waits for its next task. */
const TASKS_PER_WORKER = 4;

/** Maximum number of answers from the calling thread that are held back until earlier tasks are answered. */
const TASKS_HERE = 16;

/**
 * Limits per worker: 16 MB for the young generation, which contains nearly all objects. No chunk comes close to the
 * default heap limit.
 */
const LIMITS = { maxYoungGenerationSizeMb: 16 };

/**
 * Runs tasks in worker threads and yields their answers in task order. Takes a limited number of tasks in advance, so
 * memory does not grow with the number of tasks. If the task source fails, throws its error after the answers to
 * earlier tasks. No worker outlives the iteration.
 * @throws errors from a worker; Failure `incomplete` if the signal ends the wait for an answer
 */
export async function* inThreads<Answer, Message>(
  tasks: AsyncIterable<Task<Message>>,
  options: PoolOptions<Answer, Message>,
): AsyncGenerator<Answer> {
  const workers: PoolWorker<Answer, Message>[] = [];
  const runner = createTaskRunner(workers, options);
  const forgetSignal = watchDeadline(options.signal, (error) => {
    for (const worker of workers) worker.fail(error);
  });
  const source = tasks[Symbol.asyncIterator]();
  const underWay: Promise<Settled<Answer>>[] = [];
  let next: Promise<Settled<IteratorResult<Task<Message>>>> | undefined = settled(source.next());
  try {
    for (;;) {
      while (next !== undefined && underWay.length < runner.maxPending) {
        const task: Settled<IteratorResult<Task<Message>>> = await next;
        next = undefined;
        if ("error" in task) underWay.push(Promise.resolve(task));
        else if (task.value.done !== true) {
          // The next task is read while this task runs.
          next = settled(source.next());
          underWay.push(runner.run(task.value.value));
        }
      }
      const first = underWay.shift();
      if (first === undefined) return;
      const answer = await first;
      if ("error" in answer) throw answer.error;
      yield answer.value;
    }
  } finally {
    forgetSignal();
    await Promise.all(workers.map(({ stop }) => stop()));
    await source.return?.();
  }
}

/**
 * Runs tasks. Prefers workers to the calling thread, which must also supply tasks to the workers. Adds every started
 * worker to `workers`.
 */
function createTaskRunner<Answer, Message>(
  workers: PoolWorker<Answer, Message>[],
  options: PoolOptions<Answer, Message>,
) {
  const { here } = options;
  const leastBusy = (): PoolWorker<Answer, Message> => {
    const [first, ...others] = workers;
    const found = first && others.reduce((one, other) => (other.waiting() < one.waiting() ? other : one), first);
    if (found !== undefined && (found.waiting() === 0 || workers.length === options.workers)) return found;
    const started = startWorker<Answer, Message>(options);
    workers.push(started);
    return started;
  };
  return {
    /** Maximum number of pending answers. */
    maxPending: options.workers * TASKS_PER_WORKER + (here === undefined ? 0 : TASKS_HERE),
    run(task: Task<Message>): Promise<Settled<Answer>> {
      const worker = leastBusy();
      if (here === undefined || worker.waiting() < TASKS_PER_WORKER) return worker.ask(task);
      return settled(Promise.resolve(here(task.message)));
    },
  };
}

/**
 * Calls `fail` with a failure `STOP_GRACE_MS` after the signal aborts. Returns a function that stops watching the
 * signal.
 */
function watchDeadline(signal: AbortSignal | undefined, fail: (error: Failure) => void): () => void {
  let timer: NodeJS.Timeout | undefined;
  const onAbort = (): void => {
    const error = new Failure("incomplete", "stopped during validation", {
      hint: "a record, or a call to a mapping function, took longer than a second; run the same command again",
    });
    timer = setTimeout(() => fail(error), STOP_GRACE_MS);
  };
  signal?.addEventListener("abort", onAbort);
  if (signal?.aborted === true) onAbort();
  return () => {
    clearTimeout(timer);
    signal?.removeEventListener("abort", onAbort);
  };
}

interface PoolWorker<Answer, Message> {
  readonly ask: (task: Task<Message>) => Promise<Settled<Answer>>;
  /** Returns the number of tasks without an answer. */
  readonly waiting: () => number;
  /** Answers all pending and future tasks with an error. */
  readonly fail: (error: unknown) => void;
  readonly stop: () => Promise<unknown>;
}

function startWorker<Answer, Message>({
  entry,
  workerData,
  signal,
}: PoolOptions<Answer, Message>): PoolWorker<Answer, Message> {
  const worker = new Worker(entry, { workerData, resourceLimits: LIMITS });
  const waiting: ((answer: Settled<Answer>) => void)[] = [];
  let wrong: { readonly error: unknown } | undefined;
  const fail = (error: unknown): void => {
    wrong ??= { error };
    for (const resolve of waiting.splice(0)) resolve(wrong);
  };
  worker.on("message", (value: Answer) => waiting.shift()?.({ value }));
  worker.on("messageerror", fail);
  worker.on("error", fail);
  worker.on("exit", () => fail(new Error("a thread ended before it finished its work")));
  return {
    waiting: () => waiting.length,
    ask: (task) =>
      new Promise((resolve) => {
        if (wrong !== undefined) {
          resolve(wrong);
          return;
        }
        waiting.push(resolve);
        worker.postMessage(task.message, [...task.transfer]);
      }),
    fail,
    stop: () => endThread(worker, signal),
  };
}
