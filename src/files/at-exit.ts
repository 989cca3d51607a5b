/**
 * Does the work when the process exits, unless the function that is returned has been called before. One listener serves
 * all of it, and goes with the last: many runs in one process leave none behind.
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
      // Nobody can be told any more, and the others are to be done.
    }
  }
}
