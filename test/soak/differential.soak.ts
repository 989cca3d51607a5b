import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { checkTriples } from "../differential/triples/check-triples.ts";

const { SOAK_FIRST = "1", SOAK_TRIPLES = "500", SOAK_RUNS_EVERY = "200", SOAK_SECONDS = "", SOAK_RESULT } = process.env;

test("random triples give the same results on every path", async () => {
  const folder = mkdtempSync(path.join(tmpdir(), "differential-"));
  try {
    const seconds = SOAK_SECONDS === "" ? {} : { seconds: Number(SOAK_SECONDS) };
    const numbers = { first: Number(SOAK_FIRST), triples: Number(SOAK_TRIPLES), runsEvery: Number(SOAK_RUNS_EVERY) };
    const played = await checkTriples({ ...numbers, ...seconds, folder });
    if (SOAK_RESULT !== undefined) writeFileSync(SOAK_RESULT, JSON.stringify(played));
    expect(played.failures.join("\n\n")).toBe("");
    expect(played.counts.refused).toBeLessThanOrEqual(0.05 * played.counts.triples + 3);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
