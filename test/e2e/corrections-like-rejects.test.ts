import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import fc from "fast-check";
import { describe, expect, onTestFinished, test } from "vitest";
import { readRejectsSettings } from "../../src/cli/settings/settings-of-rejects.ts";
import { readSettings } from "../../src/cli/settings/settings.ts";
import { type JobDependencies, openJob } from "../../src/job/job.ts";
import type { JobSettings } from "../../src/job/settings/job-settings.ts";
import { canonicalJson } from "../../src/json/json-value.ts";
import { mapRecord, prepareRecords } from "../../src/pipeline/plan/check-records.ts";
import { systemClock } from "../../src/time/system-clock.ts";
import { createTestFolder, temporaryFolder } from "../temporary-folder.ts";
import { runCli } from "./cli.ts";
import { CONTRACT, type Workplace, workplace, writeExtract } from "./push-scene.ts";
import { readRejects, save, WITH_CORRECTIONS } from "./rejects-scene.ts";

const CONFIGURATION = `contract: ${CONTRACT}\nmapping: mapping.yaml\nsupplier: ACME\n`;

describe("for any changed cells in rejects,", () => {
  const text = fc.oneof(
    fc.constantFrom("", "D", "B", "=1+1", "'x", 'a,"b"', "two\nlines", " x ", "ü"),
    fc.string({ maxLength: 6 }),
  );
  const value = text.filter((each) => !each.includes("\0") && !each.includes("\r"));
  const cells = fc.array(fc.record({ file: fc.nat(1), row: fc.nat(5), column: fc.nat(4), value }), { maxLength: 6 });

  test("corrections to the extract produce the same payloads as re-importing the rejects", async () => {
    const { folder, remove } = createTestFolder();
    onTestFinished(remove);
    const keys = ["K1", "K2", "K3"];
    writeExtract(folder, {
      accounts: keys.map((REF) => ({ REF, TYPE: "X" })),
      customers: keys.flatMap((REF) => [
        { REF, SEQ: "1" },
        { REF, SEQ: "2" },
      ]),
    });
    writeFileSync(path.join(folder, "migrate.yaml"), CONFIGURATION);
    await runCli(["validate", "--out", "report"], { cwd: folder });
    const work = workplace({ accounts: [] }, undefined, temporaryFolder());
    const here: Workplace = { ...work, folder, file: (...names) => path.join(folder, ...names) };
    const files = ["rejects.csv", "rejects.customers.csv"] as const;
    const originals = files.map((name) => readRejects(here, name));
    await fc.assert(
      fc.asyncProperty(cells, async (changes) => {
        for (const [index, name] of files.entries()) {
          const rows = (originals[index] ?? []).map((row) => ({ ...row }));
          for (const { file, row, column, value: changed } of changes) {
            const target = rows[row];
            const names = Object.keys(target ?? {}).filter((each) => !/^(?:REF|SEQ|migrate_.*)$/.test(each));
            const chosen = names[column % names.length];
            if (file === index && target !== undefined && chosen !== undefined) target[chosen] = changed;
          }
          save(here, name, rows);
        }
        writeFileSync(here.file("fixes.csv"), "");
        const words = ["corrections", "add", ...WITH_CORRECTIONS, "--rejects", "report", "--accept-changes"];
        expect(await runCli(words, { cwd: folder })).toMatchObject({ code: 0 });
        const flags = { rejects: [path.join(folder, "report")], acceptChanges: true };
        const rejects = await readRejectsSettings([], flags, folder, dependencies(folder));
        const sources = await readSettings([], {}, folder);
        const corrections = readFileSync(here.file("fixes.csv"), "utf8") === "" ? undefined : "fixes.csv";
        expect(await payloads({ ...sources.job, corrections }, folder)).toEqual(await payloads(rejects.job, folder));
      }),
      { numRuns: 20 },
    );
  });
});

function dependencies(folder: string): JobDependencies {
  return {
    clock: systemClock,
    temporaryFolder: path.join(folder, "temp"),
    notice: () => undefined,
    contractCache: undefined,
  };
}

async function payloads(settings: JobSettings, folder: string): Promise<readonly string[]> {
  const job = await openJob(settings, dependencies(folder));
  const found: string[] = [];
  try {
    for await (const batch of job.input.records()) {
      await prepareRecords(batch, job);
      for (const record of batch) found.push(canonicalJson(mapRecord(record, job).payload));
    }
  } finally {
    await job.input.close();
  }
  return found.toSorted();
}
