import { readFileSync, writeFileSync } from "node:fs";
import { expect } from "vitest";
import type { CliEnd, TestSandbox } from "./cli.ts";
import {
  type AccountCells,
  adminOf,
  type Extract,
  goodAccounts,
  type OutcomeLine,
  outcomeLines,
  type Workplace,
  workplace,
  writeExtract,
} from "./push-scene.ts";

export const ACCOUNTS: readonly AccountCells[] = goodAccounts(4);

/** Writes another extract and keeps the mapping. */
export function replaceExtract(work: Workplace, extract: Extract): void {
  const mapping = readFileSync(work.file("mapping.yaml"));
  writeExtract(work.folder, extract);
  writeFileSync(work.file("mapping.yaml"), mapping);
}

/** Pushes four records: the platform accepts two and refuses the third; the fourth is invalid. */
export async function pushedWithErrors(
  sandbox: TestSandbox,
  env: Readonly<Record<string, string>> = {},
): Promise<Workplace> {
  const [first, second, third, fourth] = ACCOUNTS.map(({ REF }) => ({ REF }));
  if (first === undefined || second === undefined || third === undefined || fourth === undefined)
    throw new Error("too few accounts");
  const customers = ACCOUNTS.map(({ REF }) => ({ REF, ...(REF === third.REF && { MOBILE: "04000 000000" }) }));
  const accounts = [first, second, third, { ...fourth, TYPE: "?" }];
  const work = workplace({ accounts, customers }, { env: { ...sandbox.env, ...env } });
  expect(planOf(await work.push())).toBe("4 records: 3 to send, 1 invalid");
  return work;
}

export const planOf = ({ stderr }: CliEnd): string | undefined => /^.*\d to send.*$/m.exec(stderr)?.[0];

/**
 * Pushes the same extract again, then a second extract, which fixes the fourth record, changes the second record and
 * adds a record. The platform pauses the last push, which is then resumed. Returns the plans on the screen, and the
 * expected plans.
 */
export async function comparedPlans(
  sandbox: TestSandbox,
  work: Workplace,
): Promise<{ readonly said: unknown; readonly expected: unknown }> {
  const said = [planOf(await work.push(["--dry-run"])), planOf(await work.push())];
  const accounts = [...ACCOUNTS, { REF: "EXT-9" }].map(({ REF }) => ({
    REF,
    ...(REF === "EXT-00002" && { NAME: "Amina Jones" }),
  }));
  const customers = accounts.map(({ REF }) => ({ REF, ...(REF === "EXT-00003" && { MOBILE: "04000 000000" }) }));
  replaceExtract(work, { accounts, customers });
  const flags = ["--revise", "--new-keys"];
  said.push(planOf(await work.push([...flags, "--dry-run"])));
  await adminOf(sandbox).faults({ pauseAt: 2 });
  const paused = await work.push([...flags, "--concurrency", "1"]);
  await adminOf(sandbox).faults({});
  await adminOf(sandbox).supplier("Ongoing");
  const resumed = planOf(await work.migrate(["resume"]));
  said.push(planOf(paused), resumed?.slice(0, resumed.indexOf(")") + 1));
  const again = "4 records: 1 to send (1 unchanged), 1 invalid, 2 skipped";
  const revised = "5 records: 4 to send (2 new, 1 changed, 1 unchanged), 1 skipped";
  return { said, expected: [again, again, revised, revised, resumedPlan(outcomeLines(paused.stdout))] };
}

/**
 * Returns the expected plan of `resume`. A new record that the platform refused because of the pause counts as
 * unchanged when it is sent again.
 */
function resumedPlan(lines: readonly OutcomeLine[]): string {
  const left = lines.filter(({ status }) => status === "blocked" || status === "pending");
  const results = left.map(({ key, http }) => {
    if (key === "EXT-00002") return "changed";
    return key === "EXT-00003" || http !== undefined ? "unchanged" : "new";
  });
  const parts = ["new", "changed", "unchanged"].flatMap((result) => {
    const count = results.filter((one) => one === result).length;
    return count === 0 ? [] : [`${count} ${result}`];
  });
  return `5 records: ${left.length} to send (${parts.join(", ")})`;
}
