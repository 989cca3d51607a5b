import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const SCRIPT = fileURLToPath(new URL("../soak/ledger-corruption.mjs", import.meta.url));

test("refuses, repairs or correctly reads a ledger that is truncated or has a changed byte", async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [
    SCRIPT,
    "--every",
    "1009",
    "--flips",
    "400",
    "--seed",
    "1",
  ]);
  expect(stdout).toMatch(/^seed 1: \d{4} corrupt ledgers: \d+ refused, \d+ right, \d+ repaired, 0 misread\n$/);
});
