import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { projectFile } from "../../e2e/cli.ts";
import { temporaryFolder } from "../../temporary-folder.ts";

test.skipIf(process.platform === "win32")("a command in a folder that was removed names the cause", () => {
  const script = 'rmdir "$PWD"; exec "$0" "$1" status';
  const words = ["-c", script, process.execPath, projectFile("bin/migrate.js")];
  const { status, stderr } = spawnSync("sh", words, { cwd: temporaryFolder(), encoding: "utf8", timeout: 60_000 });
  expect(stderr).toBe(
    "migrate: the current folder no longer exists or cannot be read\n" +
      "  change to an existing folder, and run the command again\n",
  );
  expect(status).toBe(2);
});
