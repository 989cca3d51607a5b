import { closeSync, openSync, rmSync, utimesSync, writeFileSync, writeSync } from "node:fs";
import { changedFiles, filesChanged } from "../../src/job/settings/recorded-files.ts";
import path from "node:path";
import { describe, expect, it } from "vitest";
import type { Job } from "../../src/job/job.ts";
import { describeRun, type RunSettings, settingsOf } from "../../src/job/settings/recorded-settings.ts";
import { startSampleRun, openThings, thingsFolder, thingsSettings } from "./sample-job.ts";

const clock = { now: () => 0, monotonic: () => 0, sleep: () => Promise.resolve() };

function options(job: Job): Omit<RunSettings, "files" | "rejectsSecret"> & { readonly dryRun: boolean } {
  return {
    job: job.settings,
    target: {
      baseUrl: "https://t.example/v1/",
      flags: ["--target", "t"],
      ca: "ca.pem",
      allowInsecureLoopback: false,
      production: true,
      auth: { scheme: "Bearer", apiKeyFile: "key", tokenFile: "/absolute/token", mutation: "M" },
    },
    pace: { concurrency: 3, maxConcurrency: 16, rps: 2 },
    maxErrors: { share: 0.5 },
    revise: true,
    allowEmpty: true,
    out: "report",
    dryRun: false,
  };
}

async function remembered(folder: string): Promise<RunSettings> {
  const job = await openThings(folder, { only: ["A"], limit: 2, supplier: "ACME" });
  const { ledger } = await startSampleRun(folder);
  const { id } = await ledger.startRun(await describeRun(options(job), { job, host: "t.example", clock }));
  const run = await ledger.findRun(id);
  if (run === undefined) throw new Error("no run");
  return settingsOf(run);
}

describe("the settings of a run", () => {
  it("are the same when read back from the ledger, and their paths work in any folder", async () => {
    const folder = thingsFolder(["A,Ann,,"]);
    const settings = await remembered(folder);
    expect(settings).toMatchObject({
      job: thingsSettings(folder, { only: ["A"], limit: 2, supplier: "ACME" }),
      target: {
        ca: path.join(folder, "ca.pem"),
        auth: { scheme: "Bearer", apiKeyFile: path.join(folder, "key"), tokenFile: "/absolute/token", mutation: "M" },
        production: true,
      },
      pace: { concurrency: 3, maxConcurrency: 16, rps: 2 },
      maxErrors: { share: 0.5 },
      revise: true,
      allowEmpty: true,
      out: path.join(folder, "report"),
    });
    expect(settings.job.namedSources).toEqual({});
    expect(settings.files.map(({ file }) => path.basename(file))).toEqual([
      "contract.yaml",
      "mapping.yaml",
      "things.csv",
    ]);
  });

  it("are reported as a corrupt ledger if they cannot be parsed", async () => {
    const { ledger, run } = await startSampleRun(thingsFolder([]), {});
    const found = await ledger.findRun(run.id);
    if (found === undefined) throw new Error("no run");
    expect(() => settingsOf(found)).toThrow(expect.objectContaining({ code: "ledger_damaged" }));
  });

  it("allow the run to continue if its files are identical byte for byte", async () => {
    const folder = thingsFolder(["A,Ann,,"]);
    const settings = await remembered(folder);
    await expect(changedFiles(settings)).resolves.toEqual([]);
    writeFileSync(path.join(folder, "things.csv"), "REF,NAME,BORN,FILE\nA,Ann,,\n");
    await expect(changedFiles(settings)).resolves.toEqual([]);
  });

  it("are compared without reading a large input with the same size and time, if the run compares each record", async () => {
    const folder = thingsFolder([`A,${"x".repeat(64 * 1024 * 1024)},,`]);
    const time = new Date("2026-11-20T10:00:00Z");
    for (const name of ["things.csv", "mapping.yaml"]) utimesSync(path.join(folder, name), time, time);
    const settings = await remembered(folder);
    const withTime = (name: string, bytes: string, position: number): void => {
      const file = path.join(folder, name);
      const handle = openSync(file, "r+");
      writeSync(handle, bytes, position);
      closeSync(handle);
      utimesSync(file, time, time);
    };
    withTime("things.csv", "y", 100);
    await expect(changedFiles(settings, { trustsTime: true })).resolves.toEqual([]);
    expect(filesChanged(await changedFiles(settings))).toMatchObject({ code: "source_changed" });
    withTime("mapping.yaml", "#", 0);
    expect(filesChanged(await changedFiles(settings, { trustsTime: true }))).toMatchObject({
      message: expect.stringMatching(/mapping\.yaml has changed$/),
    });
    withTime("mapping.yaml", "\n", 0);
    utimesSync(path.join(folder, "things.csv"), new Date(0), new Date(0));
    expect(filesChanged(await changedFiles(settings, { trustsTime: true }))).toMatchObject({
      message: expect.stringMatching(/things\.csv has changed/),
    });
  });

  it("are named by their paths if they are inputs that no longer exist, for example after the folder was moved", async () => {
    const folder = thingsFolder(["A,Ann,,"]);
    const settings = await remembered(folder);
    const files = settings.files.map((file) => ({ ...file, file: path.basename(file.file) }));
    rmSync(path.join(folder, "things.csv"));
    expect(filesChanged(await changedFiles({ ...settings, files }))).toMatchObject({
      message: `since the run began, the input ${path.join(folder, "things.csv")} no longer exists`,
      hint: expect.stringContaining("restore the original files at these paths"),
    });
  });

  it("name a changed workbook once, even if several of its sheets are inputs", async () => {
    const folder = thingsFolder(["A,Ann,,"]);
    const settings = await remembered(folder);
    writeFileSync(path.join(folder, "things.csv"), "REF,NAME,BORN,FILE\nA,Amy,,\n");
    const files = settings.files.flatMap((file) => (file.kind === "input" ? [file, file, file] : [file]));
    expect(filesChanged(await changedFiles({ ...settings, files }))).toMatchObject({
      message: expect.stringMatching(/^since the run began, the input \S*things\.csv has changed$/),
    });
  });

  it("stop a run with changed or missing files, and the failure names all of them", async () => {
    const folder = thingsFolder(["A,Ann,,"]);
    const settings = await remembered(folder);
    writeFileSync(path.join(folder, "things.csv"), "REF,NAME,BORN,FILE\nA,Amy,,\n");
    rmSync(path.join(folder, "mapping.yaml"));
    expect(filesChanged(await changedFiles(settings))).toMatchObject({
      code: "source_changed",
      message: expect.stringMatching(/mapping\.yaml no longer exists, .*things\.csv has changed/),
    });
  });
});
