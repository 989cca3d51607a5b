/** A thread of Node.js. */
interface EndableThread {
  terminate(): Promise<unknown>;
  unref(): void;
}

/** How long a thread may take to end: it frees its memory. After a signal there is less time. */
const END_MS = { usually: 3000, stopped: 500 } as const;

let onStuck: () => void = () => undefined;

/** Says what is done about threads that do not end; a library leaves the process of its program alone. */
export function setOnStuckThread(next: () => void): void {
  onStuck = next;
}

/**
 * Ends a thread, and waits for that. One that is in a call of the system or of Node.js itself, such as `execSync`, ends only
 * behind that call: it is left alone after a while.
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
