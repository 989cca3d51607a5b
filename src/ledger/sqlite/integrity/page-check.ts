import { findDamageFrom, type Seal } from "./seal.ts";

interface PageCheck {
  /** What is wrong with the pages that were looked at so far. */
  readonly broken: () => string | undefined;
  readonly stop: () => void;
}

/** Some milliseconds' work, and as long a pause: a ledger of 3 GB takes some ten seconds beside everything else. */
const PAUSE_MS = 4;

/**
 * Looks at all pages of a database, one piece after the other, while it is in use.
 * @param seal the one that its file has just now
 */
export function checkPages(path: string, seal: () => Seal): PageCheck {
  let broken: string | undefined;
  let page = 1;
  const step = (): void => {
    const current = seal();
    if (page > current.pages.length) return;
    try {
      const found = findDamageFrom(path, page, current);
      broken = found.broken ?? (found.next === page ? `page ${page} is missing` : undefined);
      page = found.next;
    } catch (error) {
      broken = `page ${page} cannot be read: ${error instanceof Error ? error.message : String(error)}`;
    }
    if (broken === undefined) timer = schedule();
  };
  const schedule = (): NodeJS.Timeout => setTimeout(step, PAUSE_MS).unref();
  let timer = schedule();
  return { broken: () => broken, stop: () => clearTimeout(timer) };
}
