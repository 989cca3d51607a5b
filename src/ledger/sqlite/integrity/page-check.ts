import { findDamageFrom, pagesBuffer, type Seal } from "./seal.ts";

interface PageCheck {
  /** What is wrong with the pages that were looked at so far. */
  readonly broken: () => string | undefined;
  readonly stop: () => void;
}

/** Some milliseconds' work, and as long a pause: a ledger of 3 GB takes some ten seconds beside everything else. */
const PAUSE_MS = 4;

/** What a command does first goes before. */
const FIRST_PAUSE_MS = 1000;

/**
 * Looks at all pages of a database, one piece after the other, while it is in use.
 * @param seal the one that its file has just now
 */
export function checkPages(path: string, seal: () => Seal): PageCheck {
  let broken: string | undefined;
  let page = 1;
  let buffer: Buffer | undefined;
  const step = (): void => {
    const current = seal();
    buffer ??= pagesBuffer(current);
    if (page > current.pages.length) return;
    try {
      const found = findDamageFrom(path, page, { seal: current, buffer });
      broken = found.broken ?? (found.next === page ? `page ${page} is missing` : undefined);
      page = found.next;
    } catch (error) {
      broken = `page ${page} cannot be read: ${error instanceof Error ? error.message : String(error)}`;
    }
    if (broken === undefined) timer = schedule(PAUSE_MS);
  };
  const schedule = (afterMs: number): NodeJS.Timeout => setTimeout(step, afterMs).unref();
  let timer = schedule(FIRST_PAUSE_MS);
  return { broken: () => broken, stop: () => clearTimeout(timer) };
}
