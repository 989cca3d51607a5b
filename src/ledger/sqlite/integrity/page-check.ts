import { findCorruptPage, pagesBuffer, type PageChecksums } from "./page-checksums.ts";

interface PageCheck {
  /** Describes the corruption in the pages checked so far; undefined if there is none. */
  readonly broken: () => string | undefined;
  readonly stop: () => void;
}

/**
 * Pause after each step. A step takes a few milliseconds, so checking a ledger of 3 GB takes about ten seconds, in
 * parallel with other work.
 */
const PAUSE_MS = 4;

/** Pause before the first step, so that the check does not delay the start of a command's work. */
const FIRST_PAUSE_MS = 1000;

/**
 * Checks all pages of a database in steps, while the database is in use.
 * @param checksums returns the current checksums of the database file
 */
export function checkPages(path: string, checksums: () => PageChecksums): PageCheck {
  let broken: string | undefined;
  let page = 1;
  let buffer: Buffer | undefined;
  const step = (): void => {
    const current = checksums();
    buffer ??= pagesBuffer(current.pageSize);
    if (page > current.pages.length) return;
    try {
      const found = findCorruptPage(path, page, { checksums: current, buffer });
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
