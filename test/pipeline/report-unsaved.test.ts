import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import type { Notifier } from "../../src/job/dependencies.ts";
import { reportUnsaved } from "../../src/pipeline/run/report-unsaved.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const AT = "2026-11-23T10:00:00.000Z";
const ACCEPTED = {
  record: 7,
  identity: new Uint8Array(32),
  attempt: 1,
  status: "accepted",
  problems: [],
  http: 201,
  account: "A-1",
  at: AT,
} as const;

describe("outcomes that the ledger refused", () => {
  it.each([
    ["in the folder of the report", "report"],
    ["in the folder of a future report", "later/report"],
    ["in the rescue folder when the report's folder cannot be written", "file/report"],
    ["in the rescue folder when there is no report folder", undefined],
  ])("are written to a file %s", async (_, out) => {
    const folder = temporaryFolder({ "report/summary.json": "{}", "rescue/other": "", file: "" });
    const notices: string[] = [];
    const rescueFolder = path.join(folder, "rescue");
    const dependencies = { notice: (text: string) => notices.push(text), rescueFolder };
    await reportUnsaved([ACCEPTED], "run-1", dependencies, out && path.join(folder, out));
    const place = path.join(folder, out === undefined || out === "file/report" ? "rescue" : out);
    expect(readdirSync(place)).toContain("migrate-run-1-unsaved.ndjson");
    const file = path.join(place, "migrate-run-1-unsaved.ndjson");
    const line = { run: "run-1", record: 7, status: "accepted", account: "A-1", http: 201, at: AT };
    expect(readFileSync(file, "utf8")).toBe(`${JSON.stringify(line)}\n`);
    expect(notices).toEqual([`Outcomes that could not be saved in the ledger: ${file} (record 7 accepted as A-1)`]);
  });

  it("are written to a separate file for each process of a run, and shown even with --quiet", async () => {
    const rescueFolder = temporaryFolder({});
    const urgencies: unknown[] = [];
    const notice: Notifier["notice"] = (_, urgency) => urgencies.push(urgency);
    await reportUnsaved([ACCEPTED], "run-1", { notice, rescueFolder });
    await reportUnsaved([{ ...ACCEPTED, record: 8 }], "run-1", { notice, rescueFolder });
    expect(readdirSync(rescueFolder).toSorted()).toEqual([
      "migrate-run-1-unsaved-2.ndjson",
      "migrate-run-1-unsaved.ndjson",
    ]);
    expect(readFileSync(path.join(rescueFolder, "migrate-run-1-unsaved-2.ndjson"), "utf8")).toMatch(/"record":8/);
    expect(urgencies).toEqual(["alert", "alert"]);
  });

  it("are shown in full if no file can be written", async () => {
    const rescueFolder = path.join(temporaryFolder({ file: "" }), "file");
    const notices: string[] = [];
    const notice = (text: string): unknown => notices.push(text);
    await reportUnsaved([ACCEPTED, { ...ACCEPTED, record: 8 }], "run-1", { notice, rescueFolder });
    expect(notices).toEqual([
      `Outcomes that could not be saved in the ledger or in ${rescueFolder}:`,
      expect.stringMatching(/"record":7,.*"account":"A-1"/),
      expect.stringMatching(/"record":8,.*"account":"A-1"/),
    ]);
  });
});
