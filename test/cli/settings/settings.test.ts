import { describe, expect, it } from "vitest";
import type { Flags } from "../../../src/cli/options/options.ts";
import { readLedgerSettings, readSettings } from "../../../src/cli/settings/settings.ts";
import { ledgerFlag } from "../../../src/ledger/open-ledger-store.ts";
import { temporaryFolder } from "../../temporary-folder.ts";

const CONFIG = `
contract: contract.yaml
operation: import-account
mapping: mapping.yaml
supplier: FILE
documentRoot: s3/root
ledger: file.db
out: file-out
encoding: latin1
delimiter: ";"
target: test
targets:
  test:
    baseUrl: https://test.example/v1/
    ca: test.pem
    supplier: TARGET
    maxConcurrency: 5
    rps: 7
    auth: { scheme: Bearer, apiKeyFile: key, mutation: M, inputField: F, outputPath: M.t }
  live:
    baseUrl: https://live.example/v1/
    environment: production
`;

describe("settings", () => {
  it("have default values", async () => {
    const folder = temporaryFolder();
    const settings = await readSettings(["a.csv"], {}, folder);
    expect(settings.job.namedSources).toEqual({});
    expect(settings).toMatchObject({
      configFile: undefined,
      job: { folder, sources: ["a.csv"], contract: [] },
      ledger: ".migrate/ledger.db",
      out: undefined,
      target: undefined,
      pace: { concurrency: "auto", maxConcurrency: 16, rps: undefined },
      allowEmpty: false,
      dryRun: false,
      revise: false,
      showValues: false,
      yes: false,
    });
  });

  it("come from the configuration file", async () => {
    const folder = temporaryFolder({ "migrate.yaml": CONFIG });
    expect(await readSettings([], {}, folder)).toMatchObject({
      configFile: "migrate.yaml",
      job: {
        contract: ["contract.yaml"],
        operation: "import-account",
        mapping: "mapping.yaml",
        supplier: "TARGET",
        documentRoot: "s3/root",
        encoding: "latin1",
        delimiter: ";",
      },
      ledger: "file.db",
      out: "file-out",
      pace: { concurrency: "auto", maxConcurrency: 5, rps: 7 },
      target: {
        baseUrl: "https://test.example/v1/",
        ca: "test.pem",
        flags: ["--target", "test"],
        production: false,
        auth: { scheme: "Bearer", apiKeyFile: "key", mutation: "M", inputField: "F", outputPath: "M.t" },
      },
    });
  });

  it("on the command line override settings in the file", async () => {
    const folder = temporaryFolder({ "migrate.yaml": CONFIG });
    const flags = {
      contract: ["mine.yaml", "overlay.yaml"],
      operation: "other",
      mapping: "mine.yaml",
      supplier: "FLAG",
      ledger: "flag.db",
      out: "flag-out",
      encoding: "utf-16le",
      delimiter: "tab",
      limit: 3,
      only: ["A", "B"],
      source: ["customers=a.csv", "customers=b=c.csv", "meters=m.csv"],
      maxErrors: { share: 0.05 },
      concurrency: 9,
      rps: 2,
      ca: "flag.pem",
    };
    expect(await readSettings([], flags, folder)).toMatchObject({
      job: {
        contract: ["mine.yaml", "overlay.yaml"],
        operation: "other",
        mapping: "mine.yaml",
        supplier: "FLAG",
        encoding: "utf-16le",
        delimiter: "tab",
        limit: 3,
        only: ["A", "B"],
        namedSources: { customers: ["a.csv", "b=c.csv"], meters: ["m.csv"] },
      },
      ledger: "flag.db",
      out: "flag-out",
      maxErrors: { share: 0.05 },
      pace: { concurrency: 9, rps: 2 },
      target: { ca: "flag.pem", flags: ["--target", "test", "--ca", "flag.pem"] },
    });
  });

  it("for the default target do not apply to an address given with --base-url", async () => {
    const folder = temporaryFolder({ "migrate.yaml": CONFIG });
    const { target, pace, job } = await readSettings([], { baseUrl: "https://other.example/v1/" }, folder);
    expect(target?.auth).toEqual({});
    expect(target).toMatchObject({
      baseUrl: "https://other.example/v1/",
      ca: undefined,
      flags: ["--base-url", "https://other.example/v1/"],
    });
    expect(pace).toMatchObject({ maxConcurrency: 16, rps: undefined });
    expect(job.supplier).toBe("FILE");
  });

  it("include both --target and --base-url in the flags for the next command if both were given", async () => {
    const folder = temporaryFolder({ "migrate.yaml": CONFIG });
    const flags = { target: "live", baseUrl: "http://127.0.0.1/v1/", allowInsecureLoopback: true };
    expect((await readSettings([], flags, folder)).target).toMatchObject({
      baseUrl: "http://127.0.0.1/v1/",
      production: true,
      allowInsecureLoopback: true,
      flags: ["--target", "live", "--base-url", "http://127.0.0.1/v1/", "--allow-insecure-loopback"],
    });
  });

  it.each([
    [{ target: "tests" }, "config", /did you mean "test"/],
    [{ target: "constructor" }, "config", /test, live/],
    [{ source: ["customers.csv"] }, "usage", /--source customers=/],
    [{ source: ["=customers.csv"] }, "usage", /--source customers=/],
    [{ source: ["customers="] }, "usage", /--source customers=/],
    [{ ledger: "mysql://host/db" }, "config", /--ledger/],
    [{ ledger: "postgres://user:secret@host/db" }, "config", /PGPASSWORD/],
  ])("are refused if a flag is invalid: %j", async (flags, code, hint) => {
    const folder = temporaryFolder({ "migrate.yaml": CONFIG });
    await expect(readSettings([], flags, folder)).rejects.toMatchObject({ code, hint: expect.stringMatching(hint) });
  });

  it("keep the default ledger in suggested commands if the user named it, because the file may name another one", async () => {
    const folder = temporaryFolder({ "migrate.yaml": CONFIG });
    const suggestedFor = async (flags: Flags) => ledgerFlag((await readLedgerSettings(flags, folder)).ledger);
    expect(await suggestedFor({ ledger: ".migrate/ledger.db" })).toEqual(["--ledger", "./.migrate/ledger.db"]);
    expect(await suggestedFor({})).toEqual(["--ledger", "file.db"]);
    expect(ledgerFlag((await readLedgerSettings({}, temporaryFolder())).ledger)).toEqual([]);
  });

  it("for commands that start from a run take the connection from a target on the command line only", async () => {
    const targets = "targets: { live: { baseUrl: https://live.example/v1/, ca: live.pem } }\n";
    const folder = temporaryFolder({ "migrate.yaml": `target: live\n${targets}` });
    const transport = async (flags: Flags) => (await readLedgerSettings(flags, folder)).transport;
    expect(await transport({})).toEqual({});
    expect(await transport({ ca: "own.pem", proxy: "http://proxy:8080" })).toEqual({
      ca: "own.pem",
      proxy: "http://proxy:8080",
    });
    expect(await transport({ target: "live" })).toMatchObject({
      baseUrl: "https://live.example/v1/",
      ca: expect.stringContaining("live.pem"),
    });
    expect(await transport({ target: "live", ca: "own.pem" })).toMatchObject({ ca: "own.pem" });
    await expect(transport({ target: "nope" })).rejects.toMatchObject({ code: "config" });
  });

  it("for commands that start from a run have no report folder without --out", async () => {
    const folder = temporaryFolder({ "migrate.yaml": CONFIG });
    expect(await readLedgerSettings({}, folder)).toEqual({
      folder,
      configFile: "migrate.yaml",
      placeOf: expect.any(Function),
      supplier: "FILE",
      ledger: "file.db",
      out: undefined,
      workbook: false,
      transport: {},
    });
    expect(await readLedgerSettings({ out: "here", ledger: "x.db" }, folder)).toMatchObject({
      ledger: "x.db",
      out: "here",
    });
  });

  describe("for a supplier", () => {
    const SUPPLIERS = `
documentRoot: everywhere
supplier: SPRING
suppliers:
  SPRING: { rootLocation: sftp/spring, bucket: files }
  AUTUMN: { bucket: files }
target: test
targets:
  test: { baseUrl: "https://test.example/v1/" }
  live:
    baseUrl: https://live.example/v1/
    suppliers: { SPRING: { bucket: live-files, expectedStatus: Paused }, ELSEWHERE: {} }
`;
    const supplierOf = async (flags: Flags): Promise<unknown> =>
      (await readSettings([], flags, temporaryFolder({ "migrate.yaml": SUPPLIERS }))).supplier;

    it("come from the file", async () => {
      expect(await supplierOf({})).toEqual({ code: "SPRING", rootLocation: "sftp/spring", bucket: "files" });
    });
    it("are overridden one by one by the settings of the target", async () => {
      const live = { code: "SPRING", rootLocation: "sftp/spring", bucket: "live-files", expectedStatus: "Paused" };
      const otherBuckets = new Map([["AUTUMN", "files"]]);
      expect(await supplierOf({ target: "live" })).toEqual({ ...live, otherBuckets });
    });
    it("include the default root location in the file if the supplier has none of its own", async () => {
      expect(await supplierOf({ supplier: "AUTUMN" })).toMatchObject({ rootLocation: "everywhere", bucket: "files" });
    });
    it("include the root locations of all suppliers, so that each record can use its own", async () => {
      const folder = temporaryFolder({ "migrate.yaml": SUPPLIERS.replace("AUTUMN: {", "AUTUMN: { rootLocation: b,") });
      const { job } = await readSettings([], {}, folder);
      expect(job).toMatchObject({ documentRoots: { SPRING: "sftp/spring", AUTUMN: "b" }, documentRoot: "everywhere" });
    });
    it("include the bucket if no supplier is chosen and only one bucket is configured", async () => {
      const [one, two] = [
        "{ A: { bucket: files }, B: { bucket: files }, C: {} }",
        "{ A: { bucket: files }, B: { bucket: b } }",
      ].map((suppliers) => readSettings([], {}, temporaryFolder({ "migrate.yaml": `suppliers: ${suppliers}` })));
      expect((await one)?.supplier.bucket).toBe("files");
      expect((await two)?.supplier.bucket).toBeUndefined();
    });
    it("are refused if the file lists suppliers, but not this supplier", async () => {
      expect(await supplierOf({ target: "live", supplier: "ELSEWHERE" })).toMatchObject({ rootLocation: "everywhere" });
      await expect(supplierOf({ supplier: "SPRNG" })).rejects.toMatchObject({
        code: "config",
        message: 'there is no supplier "SPRNG" in the configuration file',
        hint: 'did you mean "SPRING"?',
      });
      await expect(supplierOf({ supplier: "ELSEWHERE" })).rejects.toMatchObject({
        hint: "suppliers in the configuration file: SPRING, AUTUMN",
      });
    });
  });
});

describe("an unknown name in migrate.yaml", () => {
  it.each([
    ["contract: c.yaml\ntarget: nosuch\n", 2],
    ["suppliers: { A: {} }\n\nsupplier: B\n", 3],
    ["suppliers: { A: {} }\ntarget: t\ntargets:\n  t:\n    baseUrl: https://t.example/\n    supplier: B\n", 6],
  ])("is reported with its place: %j", async (text, line) => {
    const folder = temporaryFolder({ "migrate.yaml": text });
    await expect(readSettings([], {}, folder)).rejects.toMatchObject({ code: "config", place: { line } });
    await expect(readSettings([], { target: "none" }, folder)).rejects.toMatchObject({ place: undefined });
  });
});

describe("the worker lease", () => {
  it("is 30 s by default, and at least 2 s", async () => {
    const folder = temporaryFolder();
    const leaseOf = async (flags: Flags): Promise<unknown> => (await readSettings([], flags, folder)).workers;
    expect(await leaseOf({ workers: 3 })).toEqual({ count: 3, leaseMs: 30_000 });
    expect(await leaseOf({ workers: 3, lease: 2_000 })).toEqual({ count: 3, leaseMs: 2_000 });
    await expect(leaseOf({ workers: 3, lease: 1_999 })).rejects.toThrow("too short");
    expect(await leaseOf({ workers: 3, lease: 86_400_000 })).toEqual({ count: 3, leaseMs: 86_400_000 });
    await expect(leaseOf({ workers: 3, lease: 86_400_001 })).rejects.toThrow("too long");
    await expect(leaseOf({ lease: 2_000 })).rejects.toThrow("needs workers");
  });
});
