interface EndableThread {
  terminate(): Promise<unknown>;
  unref(): void;
}

/** Time limits for a thread to end and free its memory. The limit after a signal is shorter. */
const END_MS = { usually: 3000, stopped: 500 } as const;

let onStuck: () => void = () => undefined;

/**
 * Sets the handler for threads that do not end. By default, nothing happens, because a library must not end the process
 * of its host program.
 */
export function setOnStuckThread(next: () => void): void {
  onStuck = next;
}

/**
 * Ends a thread and waits until it has ended. A thread inside a blocking call, such as `execSync`, ends only after
 * that call, so the wait has a time limit.
 */
export async function endThread(worker: EndableThread, signal?: AbortSignal): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<"late">((resolve) => {
    timer = setTimeout(resolve, signal?.aborted === true ? END_MS.stopped : END_MS.usually, "late");
  });
  const end = await Promise.race([worker.terminate(), late]);
  clearTimeout(timer);
  if (end !== "late") return;
  worker.unref();
  onStuck();
}
