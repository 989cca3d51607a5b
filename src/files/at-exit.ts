/**
 * Calls `work` when the process exits, unless the returned function is called first. All callers share one listener,
 * which is removed with the last registration, so that a process with many runs does not accumulate listeners.
 */
export function atExit(work: () => void): () => void {
  if (waiting.size === 0) process.once("exit", doAll);
  const entry = { work };
  waiting.add(entry);
  return () => {
    waiting.delete(entry);
    if (waiting.size === 0) process.off("exit", doAll);
  };
}

const waiting = new Set<{ readonly work: () => void }>();

function doAll(): void {
  for (const { work } of waiting) {
    try {
      work();
    } catch {
      // At exit, the error cannot be reported, and the remaining work must still run.
    }
  }
}
