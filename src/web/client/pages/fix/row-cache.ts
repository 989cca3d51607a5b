import type { FixRow } from "../../../fix/fix-types.ts";

const PAGE = 100;

/** The rows that match a filter. They are loaded in pages, on demand. */
export interface RowCache {
  readonly get: (position: number) => FixRow | undefined;
  /** Sets the number of rows. If it has grown, the last page is loaded again when its rows are wanted. */
  readonly setLength: (length: number) => void;
  /** Loads the missing pages that contain the positions from `from` to `to`, both inclusive. */
  readonly want: (from: number, to: number) => void;
  /** Replaces the loaded rows that have the same ids. Returns their positions. */
  readonly replace: (rows: readonly FixRow[]) => readonly number[];
  /** Clears all rows. Replies to earlier requests are then ignored. */
  readonly clear: () => void;
}

interface Page {
  readonly rows: readonly FixRow[];
  /** The number of rows of all pages when the page was requested. */
  readonly length: number;
}

interface RowCacheOptions {
  readonly load: (from: number, count: number, signal: AbortSignal) => Promise<readonly FixRow[]>;
  /** Receives the positions of the loaded rows; `to` is exclusive. */
  readonly onLoaded: (from: number, to: number) => void;
  readonly onError: (error: unknown) => void;
}

export function createRowCache({ load, onLoaded, onError }: RowCacheOptions): RowCache {
  let pages = new Map<number, Page>();
  let length = 0;
  let positions = new Map<number, number>();
  let loading = new Set<number>();
  let ending = new AbortController();

  const isComplete = (page: Page | undefined): boolean =>
    page !== undefined && (page.rows.length === PAGE || page.length === length);

  const loadPage = async (page: number): Promise<void> => {
    if (isComplete(pages.get(page)) || loading.has(page)) return;
    loading.add(page);
    const { signal } = ending;
    const requested = length;
    try {
      const rows = await load(page * PAGE, PAGE, signal);
      if (signal.aborted) return;
      pages.set(page, { rows, length: requested });
      for (const [index, { id }] of rows.entries()) positions.set(id, page * PAGE + index);
      onLoaded(page * PAGE, page * PAGE + rows.length);
    } catch (error) {
      if (!signal.aborted) onError(error);
    } finally {
      if (!signal.aborted) loading.delete(page);
    }
  };
  return {
    get: (position) => pages.get(Math.floor(position / PAGE))?.rows[position % PAGE],
    setLength: (next) => {
      length = next;
    },
    want: (from, to) => {
      for (let page = Math.floor(from / PAGE); page <= Math.floor(to / PAGE); page += 1) void loadPage(page);
    },
    replace: (rows) =>
      rows.flatMap((row) => {
        const position = positions.get(row.id);
        const page = position === undefined ? undefined : pages.get(Math.floor(position / PAGE));
        if (position === undefined || page === undefined) return [];
        pages.set(Math.floor(position / PAGE), { ...page, rows: page.rows.with(position % PAGE, row) });
        return [position];
      }),
    clear: () => {
      ending.abort();
      ending = new AbortController();
      pages = new Map();
      positions = new Map();
      loading = new Set();
    },
  };
}
