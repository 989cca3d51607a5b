import type * as fsModule from "node:fs";
import { beforeEach, expect, test, vi } from "vitest";
import { openJournal } from "../../../src/ledger/journal/open-journal.ts";
import { readJournal, journalFile } from "../../../src/ledger/journal/journal-reader.ts";
import { systemClock } from "../../../src/time/system-clock.ts";
import { temporaryFolder } from "../../temporary-folder.ts";

const done: string[] = [];

vi.mock("node:fs", async (original) => {
  const fs = await original<typeof fsModule>();
  return {
    ...fs,
    fsync(...given: Parameters<typeof fs.fsync>) {
      done.push("sync");
      fs.fsync(...given);
    },
  };
});

beforeEach(() => void done.splice(0));

test("the start and end of a journal are on disk before the run continues, and the journal contains the requests", async () => {
  const folder = temporaryFolder();
  const journal = openJournal(
    { folder, ledgerName: "ledger.db" },
    {
      findRun: () => Promise.resolve(undefined),
      history: async () => ({ id: "first", requests: 0, msSinceAbandoned: undefined }),
    },
    { clock: systemClock, rescueFolder: folder, notice: () => undefined },
  );
  await journal.begin("run");
  expect(done).toEqual(["sync"]);
  journal.add([{ identity: new Uint8Array(32), content: new Uint8Array(32), attempt: 1 }]);
  await journal.end();
  expect(done).toEqual(["sync", "sync"]);
  const entries = [...readJournal(journalFile(folder, "ledger.db", "first"))];
  expect(entries.map(({ kind }) => kind)).toEqual(["ledger", "begin", "requests", "end"]);
});
