import { join } from "node:path";
import { expect, test } from "vitest";
import type { Ledger } from "../../../src/ledger/ledger.ts";
import { openLedgerStore } from "../../../src/ledger/open-ledger-store.ts";
import { writeExport } from "../../../src/pipeline/owners/exported-packages.ts";
import { type OwnerProgress, ownerProgress } from "../../../src/pipeline/owners/owner-progress.ts";
import { systemClock } from "../../../src/time/system-clock.ts";
import { item, planned, sendAll } from "../../ledger/ledger-input.ts";
import { temporaryFolder } from "../../temporary-folder.ts";

const invalid = (attr: string) =>
  ({ status: "invalid", problems: [{ attr, severity: "error", by: "local", code: "required" }] }) as const;

const OWNERS = [
  { owner: "Names", address: "names@example.com", days: 2, attrs: ["name"] },
  { owner: "Others", days: 4 },
  { owner: "Others", days: 1 },
];

interface Scene {
  readonly ledger: Ledger;
  readonly exportRun: (run: string, packages: Readonly<Record<string, [number, number][]>>) => Promise<void>;
  readonly progress: () => Promise<readonly OwnerProgress[]>;
}

async function scene(): Promise<Scene> {
  const folder = temporaryFolder();
  const store = await openLedgerStore(join(folder, "ledger.db"));
  const ledger = await store.write("push", { create: true });
  const clock = { ...systemClock, now: () => Date.parse("2026-11-10T00:00:00.000Z") };
  return {
    ledger,
    exportRun: (run, packages) =>
      writeExport(store, {
        version: 1,
        run,
        exportedAt: "2026-11-02T00:00:00.000Z",
        packages: Object.entries(packages).map(([owner, records]) => ({ owner, records, folder: join(folder, owner) })),
      }),
    progress: () =>
      ownerProgress(
        { ledger, store, owners: OWNERS },
        { temporaryFolder: folder, clock, notice: () => undefined, drain: new AbortController().signal },
      ).finally(() => ledger.close()),
  };
}

const [first, second] = [{ startedAt: "2026-11-01T08:00:00.000Z" }, { startedAt: "2026-11-09T08:00:00.000Z" }];

test("an exported record counts as returned once it is no longer open", async () => {
  const { ledger, exportRun, progress } = await scene();
  const items = [
    item(1, "N1", "x", invalid("name")),
    item(2, "N2", "x", invalid("name")),
    item(3, "O1", "x", invalid("type")),
    item(4, "GOOD"),
  ];
  const run = await planned(ledger, items, { run: first });
  await sendAll(ledger, run, "accepted");
  await exportRun(run, { Names: [[1, 2]], Others: [[3, 3]] });
  await sendAll(ledger, await planned(ledger, [item(1, "N1", "y")], { run: second }), "accepted");
  await planned(ledger, [item(1, "O2", "x", invalid("type"))], { run: second });
  expect(await progress()).toEqual([
    { owner: "Others", address: undefined, open: 2, overdue: 1, due: "2026-11-05", exported: 1, returned: 0 },
    { owner: "Names", address: "names@example.com", open: 1, overdue: 1, due: "2026-11-03", exported: 2, returned: 1 },
  ]);
});

test("a duplicate of a record that was accepted in the same push does not count as returned", async () => {
  const { ledger, exportRun, progress } = await scene();
  const items = [
    item(1, "GOOD"),
    item(2, "GOOD"),
    item(3, "BAD", "x", invalid("name")),
    item(4, "BAD", "x", invalid("name")),
  ];
  const run = await planned(ledger, items, { run: first });
  await sendAll(ledger, run, "accepted");
  await exportRun(run, { Names: [[2, 4]] });
  await sendAll(ledger, await planned(ledger, [item(1, "BAD", "y")], { run: second }), "accepted");
  expect(await progress()).toMatchObject([
    { owner: "Names", open: 0, exported: 2, returned: 1 },
    { owner: "Others", open: 0, exported: 0, returned: 0 },
  ]);
});

test("a changed record that now belongs to another owner counts as open for that owner, not as returned", async () => {
  const { ledger, exportRun, progress } = await scene();
  const run = await planned(ledger, [item(1, "K", "x", invalid("name"))], { run: first });
  await exportRun(run, { Names: [[1, 1]] });
  await planned(ledger, [item(1, "K", "y", invalid("type"))], { run: second });
  expect(await progress()).toMatchObject([
    { owner: "Others", open: 1, exported: 0, returned: 0 },
    { owner: "Names", open: 0, exported: 1, returned: 0 },
  ]);
});

test("only the latest export of a record counts, and dry runs do not count", async () => {
  const { ledger, exportRun, progress } = await scene();
  const names = { Names: [[1, 1]] } satisfies Record<string, [number, number][]>;
  const run = await planned(ledger, [item(1, "K", "x", invalid("name"))], { run: first });
  await exportRun(run, names);
  const later = await planned(ledger, [item(1, "K", "y", invalid("type"))], { run: second });
  await exportRun(later, { Others: [[1, 1]] });
  const dry = await planned(ledger, [item(1, "D", "y", invalid("name"))], { run: { ...second, dryRun: true } });
  await exportRun(dry, names);
  await sendAll(ledger, await planned(ledger, [item(1, "K", "z")], { run: second }), "accepted");
  expect(await progress()).toMatchObject([
    { owner: "Names", open: 0, exported: 0, returned: 0 },
    { owner: "Others", open: 0, exported: 1, returned: 1 },
  ]);
});
