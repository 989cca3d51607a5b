import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { type CliEnd } from "./cli.ts";
import { type ProofFolder, onlyRun, proofIn, useProofFolders } from "./proof-scene.ts";

const { proofFolder } = useProofFolders();

/** Writes a proof with the platform's replies, changes one of its files or the extract, and verifies the proof. */
async function changed(change: (work: ProofFolder, run: string) => void): Promise<CliEnd> {
  const work = proofFolder();
  await work.push();
  await work.migrate("proof", "--out", "proof", "--read-back");
  expect((await work.migrate("proof", "verify", "proof")).code).toBe(0);
  change(work, onlyRun(proofIn(work)).run);
  return work.migrate("proof", "verify", "proof");
}

function rewrite(file: string, from: string, to: string): void {
  const text = readFileSync(file, "utf8");
  if (!text.includes(from)) throw new Error(`${file} does not contain ${from}`);
  writeFileSync(file, text.replace(from, to));
}

describe("proof verify", () => {
  test.each<[string, (work: ProofFolder, run: string) => void, RegExp]>([
    [
      "an extract",
      (work) => rewrite(work.file("accounts.csv"), "0001;D;12,50", "0001;D;12,51"),
      /accounts\.csv has changed/,
    ],
    [
      "proof.json",
      (work) => rewrite(work.file("proof/proof.json"), '"accepted": 3', '"accepted": 4'),
      /runs\.0\.records\.byStatus\.accepted: 4, now 3/,
    ],
    [
      "proof.json that makes it invalid JSON",
      (work) => rewrite(work.file("proof/proof.json"), "{", ""),
      /proof\.json is not a valid proof/,
    ],
    [
      "the time in proof.json",
      (work) => rewrite(work.file("proof/proof.json"), '"madeAt": "', '"madeAt": "x'),
      /proof\.json is not a valid proof/,
    ],
    [
      "the list of runs in proof.json",
      (work) => writeFileSync(work.file("proof/proof.json"), JSON.stringify({ ...proofIn(work), runs: [] })),
      /proof\.json is not a valid proof/,
    ],
    [
      "the folder that adds a table",
      (work) => writeFileSync(work.file("proof/rows-20260101-0000-0000.csv"), "source\n"),
      /rows-20260101-0000-0000\.csv does not belong to this proof/,
    ],
    [
      "the whitespace in proof.json",
      (work) => rewrite(work.file("proof/proof.json"), "{\n", "{\n\n"),
      /proof\.json has the same values/,
    ],
    [
      "the page",
      (work) => rewrite(work.file("proof/proof.html"), "accounted for", "accounted foR"),
      /proof\.html does not belong/,
    ],
    [
      "the rows",
      (work, run) => rewrite(work.file(`proof/rows-${run}.csv`), "orphan", "record"),
      /rows-.*\.csv differs, starting at line 15/,
    ],
    [
      "the records",
      (work, run) => rewrite(work.file(`proof/records-${run}.csv`), "rejected", "accepted"),
      /records-.*\.csv differs, starting at line 4/,
    ],
    [
      "the differences",
      (work, run) => rewrite(work.file(`proof/differences-${run}.csv`), "1.005", "1.00"),
      /differences-.*\.csv differs, starting at line \d+/,
    ],
    [
      "the platform's replies",
      (work, run) => rewrite(work.file(`proof/platform-${run}.ndjson`), "notCompared", "absent"),
      /platform\.notCompared: 3, now 2/,
    ],
    [
      "the folder that removes a table",
      (work, run) => rmSync(work.file(`proof/rows-${run}.csv`)),
      /rows-.*\.csv is missing/,
    ],
  ])("fails after a change to %s, and names the difference", async (_, change, message) => {
    const { code, stdout } = await changed(change);
    expect(stdout).toMatch(message);
    expect(code).toBe(1);
  });

  test("succeeds after a change to the mapping, because verification uses the mapping stored with the run", async () => {
    const { code, stdout } = await changed((work) => rewrite(work.file("mapping.yaml"), "DE1 2GU", "DE1 2GV"));
    expect([code, stdout]).toEqual([0, expect.stringContaining("proof matches")]);
  });

  test("succeeds with a proof that replaces a proof with more tables", async () => {
    const work = proofFolder();
    await work.push();
    await work.migrate("proof", "--out", "proof", "--read-back");
    await work.migrate("proof", "--out", "proof");
    const { code, stdout } = await work.migrate("proof", "verify", "proof");
    expect([code, stdout]).toEqual([0, expect.stringContaining("proof matches")]);
    expect(existsSync(work.file(`proof/platform-${onlyRun(proofIn(work)).run}.ndjson`))).toBe(false);
  });

  test("fails with a proof of all runs from which a run was removed, together with its tables", async () => {
    const work = proofFolder();
    await work.push();
    await work.push();
    await work.migrate("proof", "--out", "proof", "--all");
    const { runs, files, ...others } = proofIn(work);
    const removed = runs[0]?.run ?? "";
    const isKept = ([name]: readonly [string, string]): boolean => !name.includes(removed);
    for (const name of Object.keys(files)) if (name.includes(removed)) rmSync(work.file("proof", name));
    const changedProof = {
      ...others,
      runs: runs.slice(1),
      files: Object.fromEntries(Object.entries(files).filter(isKept)),
    };
    writeFileSync(work.file("proof/proof.json"), `${JSON.stringify(changedProof, undefined, 2)}\n`);
    const { code, stdout } = await work.migrate("proof", "verify", "proof");
    expect([code, stdout]).toEqual([1, expect.stringContaining(`run ${removed} is missing`)]);
  });

  test("succeeds after a later push to the same ledger, and fails with a new ledger", async () => {
    const work = proofFolder();
    await work.push();
    await work.migrate("proof", "--out", "proof", "--all");
    await work.push();
    const { code, stdout } = await work.migrate("proof", "verify", "proof");
    expect([code, stdout]).toEqual([0, expect.stringContaining("proof matches")]);
    rmSync(work.file(".migrate"), { recursive: true });
    await work.push();
    expect((await work.migrate("proof", "verify", "proof")).code).toBe(2);
  });
});
