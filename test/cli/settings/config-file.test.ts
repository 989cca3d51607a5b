import { symlinkSync } from "node:fs";
import { homedir } from "node:os";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { readConfig } from "../../../src/cli/settings/config-file.ts";
import { temporaryFolder } from "../../temporary-folder.ts";

describe("the configuration file", () => {
  it("is searched for in the current folder and its parents", async () => {
    const folder = temporaryFolder({ "migrate.yaml": "supplier: ABOVE\n", "a/b/note.txt": "" });
    expect(await readConfig(undefined, path.join(folder, "a/b"))).toMatchObject({
      file: "../../migrate.yaml",
      supplier: "ABOVE",
    });
  });

  it("is refused if it is a link without a target, even if a parent folder has a configuration file", async () => {
    const folder = temporaryFolder({ "migrate.yaml": "supplier: ABOVE\n", "a/note.txt": "" });
    symlinkSync("missing.yaml", path.join(folder, "a/migrate.yaml"));
    await expect(readConfig(undefined, path.join(folder, "a"))).rejects.toMatchObject({
      exitCode: 2,
      message: expect.stringContaining("migrate.yaml: no such file"),
    });
  });

  it("can be missing or empty", async () => {
    expect(await readConfig(undefined, temporaryFolder())).toEqual({});
    expect(await readConfig(undefined, temporaryFolder({ "migrate.yaml": "# nothing yet\n" }))).toEqual({
      file: "migrate.yaml",
      placeOf: expect.any(Function),
      placeAt: expect.any(Function),
    });
  });

  it("can be named explicitly, and its paths are relative to its folder", async () => {
    const folder = temporaryFolder({
      "conf/mine.yaml": `
contract: [one.yaml, overlay:known, /absolute.yaml]
mapping: maps/mapping.yaml
ledger: ledger.db
out: report
targets:
  test: { baseUrl: https://t.example/v1/, ca: ca.pem, auth: { apiKeyFile: key, tokenFile: /token } }
`,
      "migrate.yaml": "supplier: NOT_THIS\n",
    });
    expect(await readConfig("conf/mine.yaml", folder)).toEqual({
      file: "conf/mine.yaml",
      placeOf: expect.any(Function),
      placeAt: expect.any(Function),
      contract: ["conf/one.yaml", "overlay:known", "/absolute.yaml"],
      mapping: "conf/maps/mapping.yaml",
      ledger: "conf/ledger.db",
      out: "conf/report",
      targets: {
        test: {
          baseUrl: "https://t.example/v1/",
          ca: "conf/ca.pem",
          auth: { apiKeyFile: "conf/key", tokenFile: "/token" },
        },
      },
    });
  });

  it("can name paths in the home folder of the user with `~/`", async () => {
    const folder = temporaryFolder({ "conf/mine.yaml": "contract: ~/one.yaml\nout: ~/report\nledger: ~x.db\n" });
    expect(await readConfig("conf/mine.yaml", folder)).toMatchObject({
      contract: [path.join(homedir(), "one.yaml")],
      out: path.join(homedir(), "report"),
      ledger: "conf/~x.db",
    });
  });

  it("can contain a single contract instead of a list", async () => {
    expect(await readConfig(undefined, temporaryFolder({ "migrate.yaml": "contract: one.yaml\n" }))).toMatchObject({
      contract: ["one.yaml"],
    });
  });

  it.each([
    ["{ scheme: basic, mutation: M }", "mutation", "scheme: basic"],
    ["{ document: D, outputFields: [token] }", "outputFields", "document"],
    ["{ refreshDocument: D, refreshField: F }", "refreshField", "refreshDocument"],
  ])("cannot combine settings that exclude each other: auth: %s", async (auth, name, other) => {
    const text = `targets:\n  test:\n    baseUrl: https://t.example/v1/\n    auth: ${auth}\n`;
    await expect(readConfig(undefined, temporaryFolder({ "migrate.yaml": text }))).rejects.toMatchObject({
      code: "config",
      message: expect.stringContaining(`targets.test.auth.${name}: has no effect`),
      place: { line: 4 },
    });
    await expect(readConfig(undefined, temporaryFolder({ "migrate.yaml": text }))).rejects.toThrow(`\`${other}\``);
  });

  it.each([
    ["supplier: A\nmaping: m.yaml\n", 2, /unknown setting.*maping/, /mapping/],
    [
      "targets:\n  test:\n    baseUrl: https://t.example/v1/\n    maxConcurency: 3\n",
      4,
      /maxConcurency/,
      /maxConcurrency/,
    ],
    ["targets:\n  test:\n    bseUrl: https://t.example/v1/\n", 3, /bseUrl/, /baseUrl/],
    ["targets:\n  t:\n    baseUrl: x\n    auth:\n      apiKey: sk_1\n", 5, /auth\.apiKey/, /apiKeyFile/],
  ])("with an unknown setting is refused with a suggestion: %j, at line %i", async (text, line, message, hint) => {
    await expect(readConfig(undefined, temporaryFolder({ "migrate.yaml": text }))).rejects.toMatchObject({
      code: "config",
      exitCode: 2,
      message: expect.stringMatching(message),
      place: { file: "migrate.yaml", line },
      hint: expect.stringMatching(hint),
    });
  });

  it.each([
    ["targets:\n  t:\n    baseUrl: x\n    auth: { scheme: Basic }\n", 4, /scheme.*Token, JWT, Bearer, none/],
    ["targets:\n  t:\n    baseUrl: x\n    rps: 0\n", 4, /rps/],
    ["targets:\n  t: {}\n", 2, /baseUrl/],
    ['targets:\n  "": { baseUrl: x }\n', 1, /targets: the name of a target is empty/],
    ["- a list\n", 1, /settings/],
    ['supplier: A\nledger: ""\n', 2, /ledger: expected a path/],
    ['out: ""\n', 1, /out: expected a path/],
    ["supplier: ' '\n", 1, /supplier: expected a code without whitespace at its start or end/],
    ["supplier: 'A '\n", 1, /supplier: expected a code without whitespace at its start or end/],
    ["targets:\n  t: { baseUrl: x, supplier: ' A' }\n", 2, /targets.t.supplier: expected a code without whitespace/],
    ["targets:\n  t: { baseUrl: x, rps: 0 }\n", 2, /targets.t.rps: expected a number from 0.001 to 100000/],
    ["threads: 0\n", 1, /threads: expected a whole number from 1 to 64, or "auto"/],
    ["threads: 1.5\n", 1, /threads: expected a whole number from 1 to 64, or "auto"/],
    ["targets:\n  t: { baseUrl: x, timeouts: { bodySeconds: 0 } }\n", 2, /a number of seconds above 0, up to 3600/],
    ["owners: [{ owner: A, days: 9999 }]\n", 1, /days: expected a whole number from 0 to 3650/],
    ["threads: many\n", 1, /threads: expected a whole number from 1 to 64, or "auto"/],
    ["threads: [1]\n", 1, /threads: expected a whole number from 1 to 64, or "auto"/],
    ["contract: 1\n", 1, /contract: expected a path \(a string\) or a list of at least one path/],
    ["contract: []\n", 1, /contract: expected a path \(a string\) or a list of at least one path/],
    ["contract: ''\n", 1, /contract: expected a path/],
    ["references: { products: '' }\n", 1, /references.products: expected a path/],
    ["owners: [{ owner: A, codes: [] }, { owner: B }]\n", 1, /codes: expected a list of at least one string/],
    ["owners: [{ owner: A, statuses: [] }]\n", 1, /statuses: expected a list of at least one status/],
    ["owners: [{ owner: A, columns: { a: [] } }]\n", 1, /columns.a: expected a list of at least one string/],
    ["owners: [{ owner: ' ', codes: [a] }, { owner: B }]\n", 1, /owners.0.owner: the name of the owner is empty/],
    [
      "targets:\n  t: { baseUrl: x, auth: { outputFields: [] } }\n",
      2,
      /outputFields: expected a list of at least one string/,
    ],

    ["rules: { a: { b: 1 } }\n", 1, /rules.a: expected true, false, a number, a string or a list of strings/],
  ])(
    "with the content %j is refused at line %i, and the message states the expected value",
    async (text, line, message) => {
      await expect(readConfig(undefined, temporaryFolder({ "migrate.yaml": text }))).rejects.toMatchObject({
        code: "config",
        message: expect.stringMatching(message),
        place: { file: "migrate.yaml", line },
      });
    },
  );

  it("is refused with the line and column of the mistake, but without values, which may be passwords", async () => {
    const text = "targets:\n  t:\n    baseUrl: x\n    auth: { apiKey: sk_1, user: me }\n";
    await expect(readConfig(undefined, temporaryFolder({ "migrate.yaml": text }))).rejects.toMatchObject({
      message: 'migrate.yaml:4:13: unknown setting "targets.t.auth.apiKey"',
      hint: expect.stringContaining("4 |     auth: { apiKey: …, user: …}\n  |             ^\n"),
    });
  });

  it("provides the line of each of its paths, so that an error about a path can name the line", async () => {
    const folder = temporaryFolder({
      "conf/mine.yaml": "contract: [a.yaml, b.yaml]\ntargets:\n  t: { baseUrl: x, ca: ca.pem }\n",
    });
    const { placeOf } = await readConfig("conf/mine.yaml", folder);
    expect(placeOf?.("conf/b.yaml")).toEqual({ file: "conf/mine.yaml", line: 1 });
    expect(placeOf?.("conf/ca.pem")).toEqual({ file: "conf/mine.yaml", line: 3 });
    expect(placeOf?.("other.pem")).toBeUndefined();
  });

  it("is refused if the named file is missing, even if another configuration file exists", async () => {
    const folder = temporaryFolder({ "migrate.yaml": "supplier: A\n" });
    await expect(readConfig("other.yaml", folder)).rejects.toMatchObject({ code: "config" });
  });
});
