import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import { createPieceStore } from "../../ledger/packed/spool/piece-store.ts";
import { createSorter } from "../../ledger/packed/spool/sorter.ts";
import { Failure } from "../../model/failure.ts";
import { isCsvRow } from "../../model/record.ts";
import type { Inventory } from "../../options/migration-options.ts";
import { openInput } from "../../read/input/open-input.ts";
import { readFailure } from "../../read/text/file-bytes.ts";
import { checkText } from "../../read/text/text-file.ts";
import { incompleteTail, newLineCounter } from "../../read/text/utf8.ts";
import { canonicalKey } from "../../text/canonical-key.ts";
import { counted } from "../../text/count.ts";

/** A key of the inventory, in NFC, and its line. If repeated keys were removed, the line of the first occurrence. */
export interface InventoryKey {
  readonly key: string;
  readonly line: number;
}

export type InventoryFile = Exclude<Inventory, number>;

const SORTED_AT_ONCE = 10_000;
const PIECES_IN_MEMORY = 8_000_000;

/**
 * Passes the distinct keys of an inventory file to `handle` in batches, in the order of their code units. Sorts the
 * keys on disk, so that memory use does not grow with the number of keys.
 * @throws Failure `config` for a column that the file does not have, for a file of keys that is not UTF-8 text, for
 * a line that is JSON, and for a row with too few or too many cells; the failures of reading the file
 */
export async function eachInventoryKey(
  inventory: InventoryFile,
  temporaryFolder: string,
  handle: (keys: readonly InventoryKey[]) => Promise<void>,
): Promise<void> {
  const pieces = createPieceStore(temporaryFolder, PIECES_IN_MEMORY);
  try {
    const sorter = createSorter<readonly [key: string, line: number]>(
      ([one, oneLine], [other, otherLine]) => (one === other ? oneLine - otherLine : one < other ? -1 : 1),
      { pieces, atOnce: SORTED_AT_ONCE },
    );
    for await (const { key, line } of inventoryKeys(inventory, temporaryFolder)) sorter.add([key, line]);
    let batch: InventoryKey[] = [];
    let last: string | undefined;
    const sorted = sorter.sorted();
    for (let next = sorted.next(); next.done !== true; next = sorted.next()) {
      const [key, line] = next.value;
      if (key !== last) batch.push({ key, line });
      last = key;
      if (batch.length < KEYS_AT_ONCE) continue;
      await handle(batch);
      batch = [];
    }
    if (batch.length > 0) await handle(batch);
  } finally {
    pieces.close();
  }
}

const KEYS_AT_ONCE = 1_000;

/**
 * Yields the keys of an inventory file in the order of the file, including repeated keys. Omits empty keys.
 * @throws Failure as in `eachInventoryKey`
 */
export async function* inventoryKeys(inventory: InventoryFile, temporaryFolder: string): AsyncGenerator<InventoryKey> {
  const written = typeof inventory === "string" ? keysOfText(inventory) : keysOfColumn(inventory, temporaryFolder);
  for await (const { key, line } of written) if (key !== "") yield { key: canonicalKey(key), line };
}

async function* keysOfText(file: string): AsyncGenerator<InventoryKey> {
  const stream = Readable.from(textOf(file));
  let line = 0;
  try {
    for await (const text of createInterface({ input: stream, crlfDelay: Number.POSITIVE_INFINITY })) {
      line += 1;
      // `trim` also removes a byte order mark.
      const key = text.trim();
      if (key.startsWith('{"'))
        throw new Failure("config", `${file}:${line}: this line is JSON, not a key`, {
          hint: "write one key per line; from outcome lines, for example: jq -r .key outcomes.ndjson > keys.txt",
        });
      yield { key, line };
    }
  } catch (error) {
    throw readFailure(file, error);
  } finally {
    stream.destroy();
  }
}

/** Yields the bytes of a text file, split only between characters. */
async function* textOf(file: string): AsyncGenerator<Buffer> {
  const lines = newLineCounter();
  let carried: Buffer = Buffer.alloc(0);
  for await (const chunk of createReadStream(file)) {
    if (!Buffer.isBuffer(chunk)) continue;
    const joined = Buffer.concat([carried, chunk]);
    const whole = joined.subarray(0, joined.length - incompleteTail(joined));
    checkText(file, whole, lines.line());
    lines.add(whole);
    carried = joined.subarray(whole.length);
    yield whole;
  }
  checkText(file, carried, lines.line());
}

async function* keysOfColumn(
  { file, column }: Exclude<InventoryFile, string>,
  tempFolder: string,
): AsyncGenerator<InventoryKey> {
  const plan = { name: "inventory", files: [file], children: [] };
  const input = await openInput(plan, { tempFolder, onNotice: () => undefined });
  if (input.files.some(({ columns }) => columns?.includes(column) !== true)) {
    throw new Failure("config", `${file}: no column "${column}", which must contain the keys`, {
      hint: `columns: ${input.files.flatMap(({ columns = [] }) => columns).join(", ")}`,
    });
  }
  for await (const batch of input.records()) {
    for (const { row } of batch) {
      if (!isCsvRow(row)) continue;
      const { cells, line, table } = row;
      const width = table.columns.length;
      if (cells.length !== width)
        throw new Failure(
          "config",
          `${file}:${line}: the row has ${counted(cells.length, "cell")}, but the header has ${width}`,
          { hint: "look for a comma or a line break inside a cell: such a cell must be in quotation marks" },
        );
      yield { key: cells[table.columnIndex.get(column) ?? -1]?.trim() ?? "", line };
    }
  }
}
