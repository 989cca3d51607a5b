import { describe, expect, test, vi } from "vitest";
import type * as nodeFs from "node:fs";
import { closeSync } from "node:fs";
import type * as replacing from "../../../src/files/replace-file.ts";
import { campaignCases, type CampaignSize, simulationSeeds } from "../../campaign.ts";
import type { SharedScene } from "./shared-scene.ts";
import {
  type Restores,
  type SharedSimulated,
  type SharedSimulationOptions,
  simulateShared,
} from "./simulate-shared.ts";

const opened = vi.hoisted(() => new Set<number>());

/** Makes file writes synchronous and tracks open files, so that the files of killed processes can be closed. */
vi.mock("node:fs", async (original) => {
  const fs = await original<typeof nodeFs>();
  return {
    ...fs,
    default: fs,
    fsync: (_: number, done: (error: null) => void) => done(null),
    openSync(...how: Parameters<typeof fs.openSync>) {
      const descriptor = fs.openSync(...how);
      opened.add(descriptor);
      return descriptor;
    },
    closeSync(descriptor: number) {
      opened.delete(descriptor);
      fs.closeSync(descriptor);
    },
  };
});
vi.mock("../../../src/files/replace-file.ts", async (original) => {
  const files = await original<typeof replacing>();
  return {
    ...files,
    replaceFile: async (file: string, text: string) => files.replaceFileSync(file, Buffer.from(text)),
  };
});

function closeFiles(): void {
  for (const descriptor of opened) closeSync(descriptor);
}

/** The only seed to replay (SIMULATION_SEED=<printed seed>). Its trace is printed to stderr. */
const only = process.env["SIMULATION_SEED"];
/**
 * Invariants that may be violated after a restore. A machine does not know which requests another machine has sent. It
 * warns the user before it sends again (docs/cluster.md), unless it has lost its state folder.
 */
const UNKNOWABLE: Readonly<Record<Restores, ReadonlySet<string>>> = {
  "one machine": new Set(),
  "several machines": new Set(["nothing twice after a warning", "nothing lost"]),
  "folders lost": new Set(["nothing twice", "nothing twice after a warning", "nothing lost"]),
};

/** Seeds that once revealed a bug in the product or in the simulation. They are never removed. */
const REGRESSIONS: readonly number[] = [30355, 30405, 300732, 420138, 501888];

const PATIENCE_MS = 3_600_000;

test.each<[string, CampaignSize, SharedSimulationOptions]>([
  [
    "no schedule of kills, freezes, lost connections and successive planners breaks an invariant",
    { part: 8, whole: 40 },
    {},
  ],
  [
    "no schedule in which older copies of the database are restored creates an account twice",
    { part: 2, whole: 10 },
    { restores: "one machine" },
  ],
  [
    "no schedule in which older copies of the database are restored with several machines leaves the ledger unsettled",
    { part: 1, whole: 6 },
    { restores: "several machines" },
  ],
  [
    "no schedule in which older copies of the database are restored and state folders are lost leaves the ledger unsettled",
    { part: 1, whole: 6 },
    { restores: "folders lost" },
  ],
])("%s", { timeout: PATIENCE_MS }, async (_, size, options) => {
  const seeds = simulationSeeds(size);
  const failed: string[] = [];
  const seen = { records: 0, processes: 0 };
  const faults = new Map<string, number>();
  for (const seed of only === undefined ? [...campaignCases(REGRESSIONS, 2), ...seeds] : [Number(only)]) {
    const simulated = await simulateShared(seed, options).catch((error: unknown) => thrown(seed, error));
    closeFiles();
    if (only !== undefined) process.stderr.write(`${simulated.trace.join("\n")}\n`);
    const violations = simulated.violations.filter(({ invariant }) => !isUnknowable(invariant, options));
    if (violations.length > 0) failed.push(describeFailure({ ...simulated, violations }));
    seen.records += simulated.records;
    seen.processes += simulated.processes;
    for (const [kind, times] of Object.entries(simulated.faults)) faults.set(kind, (faults.get(kind) ?? 0) + times);
  }
  const faultCounts = [...faults].map(([kind, times]) => `${times} ${kind}`).join(", ");
  process.stderr.write(
    `${seeds.length} seeds from ${seeds[0]}: ${seen.records} records, ${seen.processes} processes; ${faultCounts}\n`,
  );
  expect(failed.slice(0, 20).join("\n")).toBe("");
});

function isUnknowable(invariant: string, { restores }: SharedSimulationOptions): boolean {
  return restores !== undefined && UNKNOWABLE[restores].has(invariant);
}

function thrown(seed: number, error: unknown): SharedSimulated {
  const what = error instanceof Error ? (error.stack ?? error.message) : String(error);
  const violations = [{ invariant: "no bug", what }];
  return { seed, violations, trace: [], fingerprint: "", records: 0, processes: 0, faults: {} };
}

function describeFailure({ seed, violations }: SharedSimulated): string {
  const replay = `SIMULATION_SEED=${seed} npx vitest run --config test/vitest.config.ts test/simulation/shared`;
  return `seed ${seed}: ${violations.map(({ invariant, what }) => `${invariant}: ${what}`).join("; ")}\n  replay: ${replay}`;
}

test("the same seed produces the same events, to the millisecond", async () => {
  for (const seed of [3, 17, 42]) {
    const [once, again] = [await simulateShared(seed), await simulateShared(seed)];
    expect(once.trace.length).toBeGreaterThan(10);
    expect(again.trace).toEqual(once.trace);
    expect(again.fingerprint).toBe(once.fingerprint);
  }
});

describe("the simulation detects that", () => {
  test.each<[string, SharedSimulationOptions["injectBug"], RegExp, firstSeed: number]>([
    [
      "a dead worker's records in flight are sent again without permission",
      resendAlways,
      /nothing twice|nothing lost/,
      13,
    ],
    ["workers overestimate the duration of their leases", longLeases, /lease/, 114],
    ["a dead worker's records in flight are forgotten", forgetInterrupted, /liveness|no bug/, 14],
    ["a range is marked as done before its records", doneAtOnce, /liveness|nothing lost/, 1],
  ])("%s", async (_, injectBug, invariant, firstSeed) => {
    const found: string[] = [];
    for (let seed = firstSeed; seed < firstSeed + 250 && !found.some((one) => invariant.test(one)); seed += 1) {
      const { violations } = await simulateShared(seed, injectBug === undefined ? {} : { injectBug });
      found.push(...violations.map((violation) => violation.invariant));
    }
    expect(found.join(" ")).toMatch(invariant);
  });
});

function resendAlways(scene: SharedScene): SharedScene {
  return { ...scene, operation: { ...scene.operation, dedupesByKey: true } };
}

function longLeases({ server, ...scene }: SharedScene): SharedScene {
  return { ...scene, server: { ...server, join: (run, id, worker) => 10 * (server.join(run, id, worker) ?? 0) } };
}

function forgetInterrupted(scene: SharedScene): SharedScene {
  Object.assign(scene.server.tables, { closeInterrupted: () => undefined });
  return scene;
}

function doneAtOnce({ server, ...scene }: SharedScene): SharedScene {
  return {
    ...scene,
    server: {
      ...server,
      claim(id, known) {
        const range = server.claim(id, known);
        const { run = "" } = server.workers().find((one) => one.id === id) ?? {};
        if (range !== undefined) server.finish(run, range);
        return range;
      },
    },
  };
}
