import { numbered } from "./child-store.ts";
import type { ChildStore, StoredRow } from "./child-store.ts";
import { rowsOf } from "./opened-source.ts";
import type { OpenedChild } from "./opened-source.ts";
import { keyOf } from "./row-key.ts";

/** Child rows held in memory: for small files. */
export async function memoryStore(child: OpenedChild): Promise<ChildStore> {
  const rows: StoredRow[] = [];
  const byKey = new Map<string, StoredRow[]>();
  for await (const batch of numbered(rowsOf(child))) {
    for (const stored of batch) {
      rows.push(stored);
      const key = keyOf(stored.read.row, child.on);
      if (key === undefined) continue;
      const group = byKey.get(key);
      if (group === undefined) byKey.set(key, [stored]);
      else group.push(stored);
    }
  }
  const group = (key: string | undefined): readonly StoredRow[] => (key === undefined ? [] : (byKey.get(key) ?? []));
  return {
    count: rows.length,
    finder: () => ({ find: async (keys) => keys.map(group), close: async () => {} }),
    async *all() {
      yield rows;
    },
  };
}
