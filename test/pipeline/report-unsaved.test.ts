import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
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
    expect(notices).toEqual([`Replies that could not be saved in the ledger: record 7 accepted as A-1 (see ${file})`]);
  });
});
