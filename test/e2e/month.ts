import { cpSync, rmSync, writeFileSync } from "node:fs";
import { expect } from "vitest";
import type { MigrationReport } from "../../src/model/migration-report.ts";
import { createTestFolder } from "../temporary-folder.ts";
import { seededDice } from "../seeded-dice.ts";
import { type CliEnd, startTestSandbox } from "./cli.ts";
import { createMonth, DAYS, type MonthAccount, monthKeys, platformAddresses } from "./month-scene.ts";
import { monthSettings } from "./month-page.ts";
import { type Admin, adminOf, CONTRACT, type SeenRequest, type Workplace, workplace } from "./push-scene.ts";

/** An overlay that makes the read-back return the account's address, so that the address can be compared. */
const COMPARING = `
overlay: 1.0.0
info: { title: A platform that returns the address, version: "1" }
actions:
  - target: $.paths['/data-import/accounts/'].post['x-migrate-read-back'][0]
    update: { match: { address: billing_address1 } }
`;
/** The overlay from day 8, which also changes a length limit. */
const NEW_VERSION = COMPARING.replace(
  "actions:",
  "actions:\n  - target: $.components.schemas.Account.properties.billing_name\n    update: { maxLength: 60 }",
);
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

export interface MonthOptions {
  /** Number of accounts. */
  readonly size: number;
  readonly seed: number;
  /**
   * Commands by day, without `migrate`. A push in this list replaces the default push of its day. Any commands for day
   * 18 replace the default exclusions.
   */
  readonly commands?: ReadonlyMap<number, readonly (readonly string[])[]>;
}

/**
 * Pushes twenty daily extracts with new, changed, repeated and removed rows. The month also has a new version of the
 * contract, an outage, a push with a second ledger, and excluded records. Returns the final results of `status`,
 * `open`, `compare`, `report` and the proof, and the same facts from the accounts on the platform.
 */
export async function playMonth({ size, seed, commands = new Map() }: MonthOptions): Promise<MonthEnd> {
  const { folder, remove } = createTestFolder();
  const data = `${folder}/platform.json`;
  const overlay = `${folder}/overlay.yaml`;
  writeFileSync(overlay, COMPARING);
  const sandbox = await startTestSandbox({ flags: ["--contract", CONTRACT, "--contract", overlay, "--data", data] });
  const admin = adminOf(sandbox);
  const work = workplace({ accounts: [] }, sandbox, folder);
  cpSync(CONTRACT, work.file("contract.yaml"));
  writeFileSync(work.file("migrate.yaml"), monthSettings());
  writeFileSync(work.file("keys.txt"), monthKeys(size).join("\n"));
  const output = new Map<number, string>();
  try {
    const month = createMonth(folder, size, seededDice(seed));
    const excluded = new Set<string>();
    const plans = planWatch(admin, month.latest);
    for (let day = 1; day <= DAYS; day += 1) {
      const { accounts, customers } = month.nextDay();
      const run = async (words: readonly string[]): Promise<CliEnd> => {
        const end = await work.migrate(words);
        output.set(day, [output.get(day), end.stdout, end.stderr].join("\n"));
        return end;
      };
      const push = ["push", accounts, "--source", `customers=${customers}`];
      if (day === CONTRACT_CHANGE) writeFileSync(overlay, NEW_VERSION);
      if (day === OUTAGE) {
        await admin.faults({ pauseAt: 4 });
        expect((await run(push)).code).toBe(4);
        await admin.faults({});
        await admin.supplier("Ongoing");
        await plans.note();
        const resumed = await run(["resume"]);
        expect([0, 1]).toContain(resumed.code);
        await plans.compare(resumed);
        continue;
      }
      if (day === SECOND_LEDGER) {
        const second = await work.migrate([...push, "--ledger", "second.db"]);
        expect([0, 1]).toContain(second.code);
        await plans.skip();
      }
      if (day === EXCLUSION && !commands.has(day)) await excludeInvalid(work, excluded);
      for (const words of withPush(commands.get(day) ?? [], push)) {
        const end = await run(words);
        await noteCommand(words, end, { excluded, plans });
      }
    }
    return { ...(await endOf(work, month.latest, { excluded, stop: sandbox.stop, data })), output };
  } finally {
    await sandbox.stop().catch(() => undefined);
    rmSync(folder, { recursive: true, force: true });
    remove();
  }
}

async function noteCommand(
  words: readonly string[],
  end: CliEnd,
  { excluded, plans }: { readonly excluded: Set<string>; readonly plans: PlanWatch },
): Promise<void> {
  if (words[0] === "exclude") for (const key of words.filter((word) => word.startsWith("M-"))) excluded.add(key);
  if (words[0] !== "push") return;
  // If the canary fails, only part of the plan is sent.
  if (words.includes("--canary")) return plans.note();
  expect([0, 1]).toContain(end.code);
  await plans.compare(end);
}

/**
 * Returns the commands of a day. If they include no push, adds `push` after `changes` and before all other commands.
 */
function withPush(commands: readonly (readonly string[])[], push: readonly string[]): readonly (readonly string[])[] {
  if (commands.some(([command]) => command === "push")) return commands;
  const first = commands.filter(([command]) => command === "changes");
  return [...first, push, ...commands.filter((words) => !first.includes(words))];
}

interface PlanWatch {
  /** Notes that the requests since the last call were sent with the first ledger. */
  readonly note: () => Promise<void>;
  /** Notes that the requests since the last call were sent with another ledger. Does not compare them. */
  readonly skip: () => Promise<void>;
  /** Compares the plan on the screen with the requests since the last call, then records them. */
  readonly compare: (push: CliEnd) => Promise<void>;
}

/** Checks the number of records to send in each plan against the requests that the platform received. */
function planWatch(admin: Admin, latest: ReadonlyMap<string, Readonly<MonthAccount>>): PlanWatch {
  const sent = new Map<string, string>();
  const accepted = new Map<string, string>();
  let seen = 0;
  async function newRequests(): Promise<readonly SeenRequest[]> {
    const requests = (await admin.imports()).filter(({ method }) => method === "POST");
    const added = requests.slice(seen);
    seen = requests.length;
    return added;
  }
  const contentOf = (key: string): string => {
    const { address, type, mobile } = latest.get(key) ?? {};
    return JSON.stringify([address, type, mobile]);
  };
  function note(requests: readonly SeenRequest[]): void {
    for (const { key = "", status } of requests) {
      sent.set(key, contentOf(key));
      if (status === 201) accepted.set(key, contentOf(key));
    }
  }
  return {
    note: async () => note(await newRequests()),
    async skip() {
      await newRequests();
    },
    async compare({ stderr }) {
      const isFirst = sent.size === 0;
      const requests = await newRequests();
      const keys = new Set(requests.map(({ key = "" }) => key));
      const counts = new Map<string, number>();
      for (const key of keys) {
        const before = accepted.get(key) ?? sent.get(key);
        const result = before === undefined ? "new" : before === contentOf(key) ? "unchanged" : "changed";
        counts.set(result, (counts.get(result) ?? 0) + 1);
      }
      const parts = ["new", "changed", "unchanged"].flatMap((result) => {
        const count = counts.get(result);
        return count === undefined ? [] : [`${count} ${result}`];
      });
      const compared = isFirst || keys.size === 0 ? "" : ` (${parts.join(", ")})`;
      expect(stderr.replaceAll(/(\d),(?=\d{3})/g, "$1")).toContain(`: ${keys.size} to send${compared}`);
      note(requests);
    },
  };
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

/** The same facts according to the ledger (`said`) and according to the platform (`shown`). */
interface MonthEnd {
  readonly said: object;
  readonly shown: object;
  /** The output of each day's commands. */
  readonly output: ReadonlyMap<number, string>;
}

interface Ending {
  readonly excluded: ReadonlySet<string>;
  readonly stop: () => Promise<void>;
  /** The file in which the platform keeps its accounts. It is complete when the platform has stopped. */
  readonly data: string;
}

async function endOf(
  work: Workplace,
  latest: ReadonlyMap<string, Readonly<MonthAccount>>,
  { excluded, stop, data }: Ending,
): Promise<Omit<MonthEnd, "output">> {
  const compared = await work.migrate(["compare", "--all"]);
  const status: MigrationStatus = JSON.parse((await work.migrate(["status", "--format", "json"])).stdout);
  const open = await openLines(work);
  const proof = await work.migrate(["proof", "--all", "--out", "proof"]);
  const report = await work.migrate(["report", "--all", "--out", "state", "--format", "json"]);
  const [destination]: MigrationReport["destinations"] = JSON.parse(report.stdout).destinations;
  await stop();

  const addresses = platformAddresses(data);
  const isCurrent = (ref: string): boolean => addresses.get(ref) === latest.get(ref)?.address;
  const left = [...latest.keys()].filter((ref) => !isCurrent(ref) && !excluded.has(ref));
  const [migration] = status.migration;
  if (migration === undefined) throw new Error("The status has no migration.");
  const { records, counts, verified } = migration;
  const { accepted = 0, outdated = 0, excluded: excludedRecords, pending, ambiguous, existing } = counts;
  return {
    said: {
      records,
      accepted,
      excluded: excludedRecords,
      unsettled: [pending, ambiguous, existing],
      open: open.map(({ key }) => key).toSorted(),
      compared: [compared.code, compared.stdout],
      verified: verified?.same,
      proof: [proof.code, proof.stdout.includes("already existed on the platform")],
      report: destination?.states["accepted"],
      acceptedByDay: destination?.accepted.reduce((sum, day) => sum + day.records, 0),
    },
    shown: {
      records: latest.size,
      accepted: [...latest.keys()].filter(isCurrent).length,
      excluded: excluded.size,
      unsettled: [0, 0, 0],
      open: left.toSorted(),
      compared: [0, comparedText(accepted + outdated)],
      verified: accepted + outdated,
      proof: [0, false],
      report: [...latest.keys()].filter(isCurrent).length,
      acceptedByDay: accepted + outdated,
    },
  };
}

function comparedText(records: number): string {
  const count = records.toLocaleString("en-GB");
  return `${count} accepted records compared: ${count} same\n`;
}
