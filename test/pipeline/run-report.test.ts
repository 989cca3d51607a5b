import { mkdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import type { AttemptOutcome } from "../../src/ledger/records/requests.ts";
import { check } from "../../src/migrate.ts";
import { Failure, highestPriorityExitCode } from "../../src/model/failure.ts";
import type { CheckResult } from "../../src/pipeline/plan/plan-records.ts";
import { endRun, requireReportFolder, type RunReport } from "../../src/pipeline/run/run-report.ts";
import type { UploadEnd } from "../../src/upload/upload-types.ts";
import { startSampleRun, openThings, thingsFolder } from "../job/sample-job.ts";

interface Ending {
  readonly rows?: readonly string[];
  readonly checked?: Partial<CheckResult>;
  readonly sent?: Partial<UploadEnd>;
  readonly out?: (folder: string) => string;
}

interface Ended {
  readonly report: Omit<RunReport, "close">;
  readonly notices: readonly string[];
  readonly folder: string;
  /** The exit code of the run in the ledger. */
  readonly remembered: number | undefined;
}

/** Checks the input of a push, and ends the push as described. */
async function ended({ rows = ["A,Ann,,"], checked, sent, out }: Ending): Promise<Ended> {
  const folder = thingsFolder(rows);
  const job = await openThings(folder);
  const handle = await startSampleRun(folder);
  const { ledger } = handle;
  const signal = new AbortController().signal;
  const done = await check(job, handle, { revise: false, allowEmpty: false, signal, onProgress: () => undefined });
  const run = await ledger.findRun(handle.run.id);
  if (run === undefined) throw new Error("no run");
  const notices: string[] = [];
  const upload = sent && { reason: "done" as const, counts: {}, unsaved: [], ...sent };
  const report = await endRun(
    {
      ledger,
      run,
      job,
      reporting: { out: (out ?? ((at) => path.join(at, "out")))(folder), showValues: false },
      dependencies: {
        screen: { colour: false, width: 80 },
        onProgress: () => undefined,
        notice: (text) => notices.push(text),
        rescueFolder: folder,
      },
    },
    { checked: { ...done, ...checked }, sent: upload },
  );
  return { report, notices, folder, remembered: (await ledger.findRun(handle.run.id))?.exitCode };
}

const unreachable = new Failure("platform_unreachable", "nobody answers");
const closed = new Failure("supplier_closed", "paused");

describe("the exit code of a run", () => {
  it.each<[string, Ending, number, readonly string[]]>([
    ["pending records", {}, 3, []],
    ["invalid records", { rows: ["A,toolong,,"] }, 1, []],
    ["invalid and pending records", { rows: ["A,toolong,,", "B,Bob,,"] }, 3, []],
    [
      "too many invalid records",
      { rows: ["A,toolong,,"], checked: { reason: "too_many_errors" } },
      1,
      ["too_many_errors"],
    ],
    [
      "too many invalid records, although other records are pending",
      { rows: ["A,toolong,,", "B,Bob,,"], checked: { reason: "too_many_errors" } },
      1,
      ["too_many_errors"],
    ],
    ["an interruption of reading", { rows: ["A,toolong,,"], checked: { reason: "stopped" } }, 3, ["incomplete"]],
    ["an interruption of sending", { sent: { reason: "drained" } }, 3, []],
    ["an interruption after the last record", { rows: ["A,toolong,,"], sent: { reason: "drained" } }, 1, []],
    ["an unreachable platform", { sent: { reason: "stopped", failure: unreachable } }, 3, [unreachable.code]],
    ["a paused supplier", { sent: { reason: "stopped", failure: closed } }, 4, [closed.code]],
  ])("reflects %s", async (_, ending, exitCode, failures) => {
    const { report, remembered, folder } = await ended(ending);
    expect(report.exitCode).toBe(exitCode);
    expect(remembered).toBe(exitCode);
    expect(report.failures.map(({ code }) => code)).toEqual(failures);
    expect(JSON.parse(readFileSync(path.join(folder, "out/summary.json"), "utf8"))).toMatchObject({ exitCode });
  });

  it("is 6 if the report cannot be written, although the run is still shown", async () => {
    const { report, remembered } = await ended({
      rows: ["A,toolong,,"],
      out: (at) => {
        mkdirSync(path.join(at, "out/summary.json"), { recursive: true });
        return path.join(at, "out");
      },
    });
    expect(report).toMatchObject({
      exitCode: 6,
      failures: [{ code: "storage", hint: expect.stringContaining("migrate report") }],
      report: { summary: { records: 1, counts: { invalid: 1 } } },
    });
    expect(report.report.folder).toBeUndefined();
    expect(remembered).toBe(1);
  });

  it("is the exit code with the highest priority", () => {
    expect(highestPriorityExitCode([])).toBe(0);
    expect(highestPriorityExitCode([0, 1, 3])).toBe(3);
    expect(highestPriorityExitCode([1, 4, 3, 5])).toBe(5);
    expect(highestPriorityExitCode([5, 6])).toBe(6);
    expect(highestPriorityExitCode([6, 70, 5])).toBe(70);
  });
});

describe("the report at the end of a run", () => {
  it("names outcomes that the ledger could not save", async () => {
    const identity = new Uint8Array(32);
    const answer = {
      record: 7,
      identity,
      attempt: 1,
      status: "accepted",
      problems: [],
      at: "",
      account: "A-1",
    } as const;
    const unsaved: readonly AttemptOutcome[] = [answer, { ...answer, record: 8, status: "rejected" }];
    const failure = new Failure("storage", "disk full");
    const { notices } = await ended({ sent: { reason: "stopped", failure, unsaved } });
    expect(notices).toEqual([expect.stringMatching(/record 7 accepted as A-1, record 8 rejected/)]);
  });

  it.each([
    ["platform_unreachable", expect.stringContaining("migrate push --rejects")],
    ["ledger_outdated", undefined],
    ["canary_failed", undefined],
  ] as const)("names the next command, unless the hint of the failure names the next steps: %s", async (code, next) => {
    const sent = { reason: "stopped", failure: new Failure(code, "stopped") } as const;
    const { report } = await ended({ rows: ["A,toolong,,"], sent });
    expect(report.report.next).toEqual(next);
  });

  it("is refused in advance if the report folder is a file of the input", async () => {
    const folder = thingsFolder(["A,Ann,,"]);
    const job = await openThings(folder);
    await expect(requireReportFolder(undefined, job)).resolves.toBeUndefined();
    await expect(requireReportFolder(folder, job)).resolves.toBeUndefined();
    await expect(requireReportFolder(path.join(folder, "things.csv"), job)).rejects.toMatchObject({ code: "storage" });
  });
});
