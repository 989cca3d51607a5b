import { rmSync, writeFileSync } from "node:fs";
import { expect } from "vitest";
import { createTestFolder } from "../temporary-folder.ts";
import { seededDice } from "../seeded-dice.ts";
import { startTestSandbox } from "./cli.ts";
import { createMonth, DAYS, type MonthAccount, platformAddresses } from "./month-scene.ts";
import { adminOf, CONTRACT, type Workplace, workplace } from "./push-scene.ts";

/** The platform returns the address of an account, so that it can be compared. */
const COMPARING = `
overlay: 1.0.0
info: { title: A platform that returns the address, version: "1" }
actions:
  - target: $.paths['/data-import/accounts/'].post['x-migrate-read-back'][0]
    update: { match: { address: billing_address1 } }
`;
/** The contract of the second week. */
const NEW_VERSION = COMPARING.replace(
  "actions:",
  "actions:\n  - target: $.components.schemas.Account.properties.billing_name\n    update: { maxLength: 60 }",
);
const OWNERS = `
owners:
  - { owner: Contact data, address: contacts@example.com, days: 5, attrs: [customers.*.mobile] }
  - { owner: Data office, address: data@example.com, days: 3, codes: [invalid_choice] }
  - { owner: Migration team, days: 10 }
`;
const OUTAGE = 11;
const CONTRACT_CHANGE = 8;
const SECOND_LEDGER = 13;
const EXCLUSION = 18;

interface OpenLine {
  readonly key: string;
  readonly status: string;
  readonly owner?: { readonly name: string };
}

interface MigrationStatus {
  readonly migration: readonly {
    readonly records: number;
    readonly counts: Readonly<Record<string, number>>;
    readonly verified?: { readonly same: number; readonly different: number; readonly absent: number };
  }[];
}

/**
 * Twenty daily extracts with new, changed, repeated, removed and late rows, a new version of the contract, an outage, a
 * push from a second ledger, and excluded records. Afterwards, `status`, `open`, `compare` and the proof must agree with
 * the accounts of the server.
 */
export async function playMonth({ size, seed }: { readonly size: number; readonly seed: number }): Promise<void> {
  const { folder, remove } = createTestFolder();
  const data = `${folder}/platform.json`;
  const overlay = `${folder}/overlay.yaml`;
  writeFileSync(overlay, COMPARING);
  const sandbox = await startTestSandbox({ flags: ["--contract", CONTRACT, "--contract", overlay, "--data", data] });
  const admin = adminOf(sandbox);
  const work = workplace({ accounts: [] }, sandbox, folder);
  writeFileSync(work.file("migrate.yaml"), OWNERS);
  try {
    const month = createMonth(folder, size, seededDice(seed));
    const excluded = new Set<string>();
    const inputOf = (files: { accounts: string; customers: string }): readonly string[] => [
      files.accounts,
      ...["--source", `customers=${files.customers}`, "--contract", CONTRACT, "--contract", overlay],
      ...["--mapping", "mapping.yaml"],
    ];
    for (let day = 1; day <= DAYS; day += 1) {
      const input = inputOf(month.nextDay());
      if (day === CONTRACT_CHANGE) writeFileSync(overlay, NEW_VERSION);
      if (day === OUTAGE) {
        await admin.faults({ pauseAt: 4 });
        expect((await work.migrate(["push", ...input])).code).toBe(4);
        await admin.faults({});
        await admin.supplier("Ongoing");
        expect([0, 1]).toContain((await work.migrate(["resume"])).code);
        continue;
      }
      if (day === SECOND_LEDGER) {
        const second = await work.migrate(["push", ...input, "--ledger", "second.db"]);
        expect([0, 1]).toContain(second.code);
      }
      if (day === EXCLUSION) await excludeInvalid(work, excluded);
      const pushed = await work.migrate(["push", ...input]);
      expect([0, 1], pushed.stderr).toContain(pushed.code);
    }
    await verify(work, month.latest, { excluded, stop: sandbox.stop, data });
  } finally {
    await sandbox.stop().catch(() => undefined);
    rmSync(folder, { recursive: true, force: true });
    remove();
  }
}

async function openLines(work: Workplace): Promise<readonly OpenLine[]> {
  const { stdout } = await work.migrate(["open", "--format", "ndjson"]);
  return stdout
    .split("\n")
    .filter((line) => line !== "")
    .map((line): OpenLine => JSON.parse(line));
}

async function excludeInvalid(work: Workplace, excluded: Set<string>): Promise<void> {
  const invalid = (await openLines(work)).filter(
    ({ status, owner }) => status === "invalid" && owner?.name === "Data office",
  );
  const keys = invalid.slice(0, 3).map(({ key }) => key);
  expect(keys.length).toBeGreaterThan(0);
  expect((await work.migrate(["exclude", ...keys, "--reason", "not worth it"])).code).toBe(0);
  for (const key of keys) excluded.add(key);
}

interface Ending {
  readonly excluded: ReadonlySet<string>;
  readonly stop: () => Promise<void>;
  /** The file in which the platform keeps its accounts. It is complete when the platform has stopped. */
  readonly data: string;
}

async function verify(
  work: Workplace,
  latest: ReadonlyMap<string, Readonly<MonthAccount>>,
  { excluded, stop, data }: Ending,
): Promise<void> {
  const compared = await work.migrate(["compare", "--all"]);
  const status: MigrationStatus = JSON.parse((await work.migrate(["status", "--format", "json"])).stdout);
  const open = await openLines(work);
  const proof = await work.migrate(["proof", "--all", "--out", "proof"]);
  await stop();

  const addresses = platformAddresses(data);
  const accepted = [...latest.values()].filter(({ ref, address }) => addresses.get(ref) === address);
  const left = [...latest.keys()].filter(
    (ref) => addresses.get(ref) !== latest.get(ref)?.address && !excluded.has(ref),
  );
  const [migration] = status.migration;
  if (migration === undefined) throw new Error("The status has no migration.");
  const { records, counts, verified } = migration;
  expect({ records, accepted: counts["accepted"], excluded: counts["excluded"] }).toEqual({
    records: latest.size,
    accepted: accepted.length,
    excluded: excluded.size,
  });
  expect(open.map(({ key }) => key).toSorted()).toEqual(left.toSorted());
  expect(counts).toMatchObject({ pending: 0, ambiguous: 0, existing: 0 });
  const inLedger = (counts["accepted"] ?? 0) + (counts["outdated"] ?? 0);
  expect(compared.stdout).toContain(`compared: ${inLedger.toLocaleString("en-GB")} same\n`);
  expect([compared.code, verified?.same]).toEqual([0, inLedger]);
  expect([proof.code, proof.stdout]).toEqual([0, expect.not.stringContaining("existed on the platform before")]);
}
