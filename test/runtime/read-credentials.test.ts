import { chmodSync, mkdirSync, symlinkSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { readSecrets } from "../../src/runtime/read-credentials.ts";
import { temporaryFolder } from "../temporary-folder.ts";

describe("credentials", () => {
  it("are read from the environment without reading a file", async () => {
    const files = { tokenFile: "/nowhere/token" };
    expect(await readSecrets({ MIGRATE_API_KEY: "sk_1" }, files)).toEqual({ apiKey: "sk_1" });
    expect(await readSecrets({ MIGRATE_TOKEN: "t", MIGRATE_API_KEY: "sk_1" }, files)).toEqual({
      token: "t",
      apiKey: "sk_1",
    });
  });

  it("are read from private files, without surrounding whitespace", async () => {
    const folder = temporaryFolder({ key: "sk_2\n", token: "  t2\r\n" });
    expect(await readSecrets({ MIGRATE_API_KEY: "" }, { apiKeyFile: path.join(folder, "key") })).toEqual({
      apiKey: "sk_2",
    });
    expect(await readSecrets({}, { tokenFile: path.join(folder, "token") })).toEqual({ token: "t2" });
  });

  it.each(["x".repeat(16 * 1024 + 1), "sk_1\r\nX-Evil: 1", "sk_1\0"])(
    "are refused from the environment if they are too long or contain control characters",
    async (value) => {
      for (const name of ["MIGRATE_API_KEY", "MIGRATE_TOKEN"]) {
        await expect(readSecrets({ [name]: value }, {})).rejects.toMatchObject({ code: "config" });
      }
      expect(await readSecrets({ MIGRATE_API_KEY: "x".repeat(16 * 1024) }, {})).toHaveProperty("apiKey");
    },
  );

  it("may be absent", async () => {
    expect(await readSecrets({ MIGRATE_TOKEN: "" }, {})).toEqual({});
  });

  it.each([
    ["wide", /other users can access/],
    ["link", /symbolic link/],
    ["folder", /not a regular file/],
    ["missing", /ENOENT/],
    ["empty", /empty/],
    ["large", /larger than 64 KiB/],
    ["long", /API key is longer than 16 KiB/],
    ["lines", /line break/],
    ["nul", /NUL/],
  ])("are refused from the file '%s'", async (name, message) => {
    const folder = temporaryFolder({
      wide: "sk_3",
      empty: "\n",
      real: "sk_4",
      lines: "sk_5\nsk_6\n",
      nul: "sk_7\0",
      large: " ".repeat(64 * 1024 + 1),
      long: "x".repeat(16 * 1024 + 1),
    });
    chmodSync(path.join(folder, "wide"), 0o640);
    symlinkSync(path.join(folder, "real"), path.join(folder, "link"));
    mkdirSync(path.join(folder, "folder"));
    const refused = readSecrets({}, { apiKeyFile: path.join(folder, name) });
    await expect(refused).rejects.toMatchObject({ code: "config", message: expect.stringMatching(message) });
    await expect(refused).rejects.toHaveProperty("hint", expect.any(String));
  });
});
