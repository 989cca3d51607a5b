import { availableParallelism } from "node:os";
import { describe, expect, it } from "vitest";
import type { Input } from "../../../src/read/input/open-input.ts";
import { createHelpTest, threadsFor } from "../../../src/pipeline/threads/thread-count.ts";

const CHUNKS: Input["chunked"] = {
  source: "accounts",
  files: [],
  chunks: () => neverCalled(),
  canBeginAt: () => false,
};
const MOST = Math.min(availableParallelism(), 8);

function neverCalled(): never {
  throw new Error("the input is not read");
}

function jobOf(bytes: number, { chunked = CHUNKS, calls = false }: { chunked?: Input["chunked"]; calls?: boolean }) {
  const file = { source: "accounts", file: "a.csv", path: "a.csv", bytes, unpackedBytes: bytes, kind: "csv" } as const;
  const prepare = calls ? () => Promise.resolve() : undefined;
  return { input: { files: [file], chunked, joined: undefined }, mapping: { prepare } };
}

describe("the number of threads", () => {
  it("is the maximum from the start for a large input, and for a smaller input only if its check is slow", () => {
    expect(threadsFor(jobOf(8_000_000, {}), "auto")).toEqual({ threads: MOST, onlyIfSlow: false });
    expect(threadsFor(jobOf(7_999_999, {}), "auto")).toEqual({ threads: MOST, onlyIfSlow: true });
  });

  it("is one for a small input whose mapping calls functions", () => {
    expect(threadsFor(jobOf(100, { calls: true }), "auto")).toEqual({ threads: 1, onlyIfSlow: false });
  });

  it("is the number that the user sets, unless the mapping of a small input calls functions", () => {
    expect(threadsFor(jobOf(100, {}), 3)).toEqual({ threads: 3, onlyIfSlow: false });
    expect(threadsFor(jobOf(100, { calls: true }), 3)).toEqual({ threads: 1, onlyIfSlow: false });
  });
});

function helpAfter(ms: number, checked: number, ofBytes: number): boolean {
  const times = [0, ms];
  return createHelpTest(ofBytes, () => times.shift() ?? ms)(checked);
}

describe("help from other threads", () => {
  it("is needed after a second if more than two seconds of work remain", () => {
    expect(helpAfter(1000, 100, 301)).toBe(true);
    expect(helpAfter(1000, 100, 300)).toBe(false);
    expect(helpAfter(999, 100, 10_000)).toBe(false);
    expect(helpAfter(5000, 100, 100)).toBe(false);
  });

  it("depends on the total size of the parts that were checked", () => {
    let time = 0;
    const needsHelp = createHelpTest(1000, () => time);
    time = 500;
    expect(needsHelp(200)).toBe(false);
    time = 1000;
    expect(needsHelp(200)).toBe(false);
    time = 3000;
    expect(needsHelp(100)).toBe(true);
  });
});
