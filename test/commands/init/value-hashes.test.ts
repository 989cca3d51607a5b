import { existsSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { createValueHashes, distinctCount, shareFound } from "../../../src/commands/init/profile/value-hashes.ts";
import { temporaryFolder } from "../../temporary-folder.ts";

test("init counts the same numbers of distinct and shared values in memory and in a file", () => {
  const folder = temporaryFolder();
  for (const count of [0, 1, 500, 40_000, 1_200_000]) {
    const file = path.join(folder, `${count}`);
    const keys = createValueHashes(file);
    const references = createValueHashes(`${file}-references`);
    for (let at = 0; at < count; at += 1) {
      keys.add(`K${at % 90_000}`);
      references.add(`K${at * 2}`);
    }
    const different = Math.min(count, 90_000);
    const found = Array.from({ length: count }, (_, at) => at * 2).filter((key) => key < different).length;
    expect(existsSync(file)).toBe(count > 32_768);
    expect(distinctCount(keys)).toBe(different);
    // For long columns with few matches, the share is estimated from some of the values.
    expect(shareFound(references, keys)).toBeCloseTo(count === 0 ? 0 : found / count, count > 1_000_000 ? 2 : 9);
    keys.close();
    references.close();
    expect(existsSync(file)).toBe(false);
  }
});
