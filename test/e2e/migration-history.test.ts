import { rmSync } from "node:fs";
import { expect, test } from "vitest";
import { campaignSize } from "../campaign.ts";
import { seededDice } from "../seeded-dice.ts";
import { type AccountCells, references, useSandbox, type Workplace, workplace, writeExtract } from "./push-scene.ts";
import { readRejects, save } from "./rejects-scene.ts";

const { sandbox, admin } = useSandbox();

interface OpenLine {
  readonly key: string;
  readonly status: string;
  readonly causes: readonly { readonly code: string }[];
}

interface Seen {
  readonly open: readonly OpenLine[];
  readonly counts: Readonly<Record<string, number>>;
  readonly records: number;
}

/** Checks that `status` and `open` agree, and returns their results. */
async function seenIn(work: Workplace): Promise<Seen> {
  const { stdout } = await work.migrate(["status", "--format", "json"]);
  const { migration }: { migration: readonly Pick<Seen, "counts" | "records">[] } = JSON.parse(stdout);
  const { counts = {}, records = 0 } = migration[0] ?? {};
  const listed = await work.migrate(["open", "--format", "ndjson"]);
  const open = listed.stdout
    .split("\n")
    .filter((line) => line !== "")
    .map((line): OpenLine => JSON.parse(line));
  const { accepted = 0, ...others } = counts;
  expect(Object.values(others).reduce((sum, count) => sum + count, accepted)).toBe(records);
  for (const [status, count] of Object.entries(others)) {
    expect([status, open.filter((one) => one.status === status).length]).toEqual([status, count]);
  }
  expect(listed.code).toBe(
    (others["ambiguous"] ?? 0) > 0 ? 5 : (others["pending"] ?? 0) > 0 ? 3 : open.length > 0 ? 1 : 0,
  );
  return { open, counts, records };
}

const statusesOf = ({ open }: Seen): Readonly<Record<string, string>> =>
  Object.fromEntries(open.map(({ key, status }) => [key, status]));

const threeAccounts = (a: Partial<AccountCells>): readonly AccountCells[] => [
  { REF: "A", ...a },
  { REF: "B" },
  { REF: "TYPE", TYPE: "X" },
];

test("status and open follow an account from extract to extract", async () => {
  const work = workplace({ accounts: threeAccounts({}) }, sandbox);
  await work.push(["--out", "report"]);
  expect(statusesOf(await seenIn(work))).toEqual({ TYPE: "invalid" });
  save(
    work,
    "rejects.csv",
    readRejects(work, "rejects.csv").map((row) => ({ ...row, TYPE: "D" })),
  );
  expect((await work.migrate(["push", "--rejects", "report"])).code).toBe(0);
  expect(statusesOf(await seenIn(work))).toEqual({});

  // The next extract still contains the wrong type, and account A has another name.
  writeExtract(work.folder, { accounts: threeAccounts({ NAME: "Another Name" }) });
  await work.push();
  const changed = await seenIn(work);
  expect(changed.open).toMatchObject([{ key: "A", status: "outdated", causes: [{ code: "unique" }] }]);

  // The platform ignores the revision.
  await work.push(["--revise"]);
  expect((await seenIn(work)).open).toMatchObject([{ key: "A", status: "outdated" }]);

  writeExtract(work.folder, { accounts: threeAccounts({}) });
  await work.push();
  expect(statusesOf(await seenIn(work))).toEqual({});

  // An accepted account is out of date if its latest row is invalid.
  writeExtract(work.folder, { accounts: threeAccounts({ TYPE: "X" }) });
  await work.push();
  expect(statusesOf(await seenIn(work))).toEqual({ A: "outdated" });
  expect((await admin.accounts()).map(({ key }) => key).toSorted()).toEqual(["A", "B", "TYPE"]);
});

/** Account names by reference. The content of an invalid row is its name followed by `!`. */
interface History {
  readonly latest: Map<string, string>;
  readonly accepted: Map<string, string>;
  /** References and contents of rows that were invalid before their account was accepted. */
  readonly faulty: Set<string>;
}

function randomRows(dice: () => number, day: number, latest: ReadonlyMap<string, string>): readonly AccountCells[] {
  return references(12).flatMap((REF): AccountCells[] => {
    if (dice() < 0.25) return [];
    const NAME = dice() < 0.3 ? `Name ${day}` : (latest.get(REF)?.replace("!", "") ?? "Name 0");
    return [{ REF, NAME, ...(dice() < 0.2 && { TYPE: "X" }) }];
  });
}

function take(rows: readonly AccountCells[], { latest, accepted, faulty }: History): void {
  for (const { REF, NAME = "", TYPE } of rows) {
    const content = TYPE === undefined ? NAME : `${NAME}!`;
    const held = accepted.get(REF);
    if (TYPE === undefined && held === undefined) accepted.set(REF, NAME);
    if (TYPE !== undefined && held === undefined) faulty.add(`${REF} ${content}`);
    // A row that was invalid before its account was accepted is an old version of the account (`corrected_since`).
    latest.set(REF, held !== undefined && faulty.has(`${REF} ${content}`) ? held : content);
  }
}

/**
 * Random extracts of 12 accounts. The expected state of an account follows from the names in the extracts and from the
 * accounts on the platform, which accepts only the first content of each key.
 */
test.each(Array.from({ length: campaignSize({ part: 1, whole: 3 }) }, (_, seed) => seed))(
  "status and open agree with the extracts and the platform (seed %i)",
  async (seed) => {
    const dice = seededDice(seed);
    const history: History = { latest: new Map(), accepted: new Map(), faulty: new Set() };
    const { latest, accepted } = history;
    const work = workplace({ accounts: [] }, sandbox);
    for (let day = 1; day <= 6; day += 1) {
      const rows = randomRows(dice, day, latest);
      writeExtract(work.folder, { accounts: rows });
      const flags = [...(dice() < 0.3 ? ["--revise"] : []), ...(dice() < 0.2 ? ["--dry-run"] : [])];
      const { stderr, code } = await work.push(flags);
      expect({ code, stderr }).toMatchObject({ code: expect.toSatisfy((exit: number) => exit === 0 || exit === 1) });
      if (flags.includes("--dry-run")) continue;
      take(rows, history);
      const onPlatform = (await admin.accounts()).map(({ key }) => key).toSorted();
      expect(onPlatform).toEqual([...accepted.keys()].toSorted());
      const expected = Object.fromEntries(
        [...latest].flatMap(([key, name]) => {
          const held = accepted.get(key);
          return held === name ? [] : [[key, held === undefined ? "invalid" : "outdated"]];
        }),
      );
      const seen = await seenIn(work);
      expect(statusesOf(seen)).toEqual(expected);
      expect(seen.records).toBe(latest.size);
    }
    rmSync(work.folder, { recursive: true });
  },
);
