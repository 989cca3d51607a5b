import { describe, expect, test } from "vitest";
import { packItems, unpackItems } from "../../src/ledger/packed/packed-items.ts";
import type { Ledger } from "../../src/ledger/ledger.ts";
import { type Http, TransportError } from "../../src/transport/http.ts";
import { campaignSize } from "../campaign.ts";
import { partsOf } from "./model-platform.ts";
import type { Job } from "./session.ts";
import { simulate, type SimulationOptions } from "./simulate.ts";
import { failedSeeds, PATIENCE_MS } from "./simulation-campaign.ts";

test(
  "no schedule of replies, drops, kills, drains and full disks breaks an invariant",
  { timeout: PATIENCE_MS },
  async () => {
    expect(await failedSeeds({ part: 4, whole: 20 }, {})).toEqual([]);
  },
);

test("the same seed produces the same events, to the millisecond", async () => {
  for (const seed of [3, 17, 42]) {
    const [once, again] = [await simulate(seed), await simulate(seed)];
    expect(once.trace.length).toBeGreaterThan(10);
    expect(again.trace).toEqual(once.trace);
    expect(again.fingerprint).toBe(once.fingerprint);
  }
});

const DAY_MS = 86_400_000;

test("a wall clock that jumps by a day at every reading changes no event and no time", async () => {
  for (let seed = 1; seed <= campaignSize({ part: 2, whole: 8 }); seed += 1) {
    let looks = 0;
    const wall = (now: number): number => now + (((looks += 1) * 7) % 3) * DAY_MS - DAY_MS;
    const steady = await simulate(seed);
    // A new process knows only from the wall clock how long ago an earlier process stopped.
    if (steady.trace.some((event) => event.includes("aborted requests"))) continue;
    const jumping = await simulate(seed, { wall });
    expect(looks).toBeGreaterThan(0);
    expect(jumping.trace).toEqual(steady.trace);
    expect(jumping.violations).toEqual([]);
  }
});

describe("the simulation detects that", () => {
  test.each<[string, SimulationOptions["injectBug"], RegExp, firstSeed: number]>([
    ["an ambiguous request is sent again without permission", resendAlways, /nothing twice|nothing lost/, 11],
    ["a request that was sent is classified as unsent", overHttp(unsentForSent), /nothing twice|nothing lost/, 9],
    ["an error is classified as a success", overHttp(successForError), /I3/, 16],
    ["changed content has the hash of the accepted content", overLedger(sameHash), /I11/, 11],
    ["an earlier request is assumed to have the same content", overLedger(samePrior), /I11/, 24],
  ])("%s", async (_, injectBug, invariant, firstSeed) => {
    const found: string[] = [];
    for (let seed = firstSeed; seed < firstSeed + 40 && !invariant.test(found.join(" ")); seed += 1) {
      const { violations } = await simulate(seed, injectBug === undefined ? {} : { injectBug });
      found.push(...violations.map((violation) => violation.invariant));
    }
    expect(found.join(" ")).toMatch(invariant);
  });
});

function resendAlways(job: Job): Job {
  return { ...job, operation: { ...job.operation, dedupesByKey: true } };
}

function overHttp(buggy: (http: Http) => Http): (job: Job) => Job {
  return (job) => ({ ...job, platform: { ...job.platform, http: buggy(job.platform.http) } });
}

function overLedger(wrapLedger: (ledger: Ledger) => Ledger): (job: Job) => Job {
  return (job) => ({ ...job, wrapLedger });
}

function sameHash(ledger: Ledger): Ledger {
  const plan: Ledger["plan"] = (run, items) =>
    ledger.plan(run, packItems(unpackItems(items).map((item) => ({ ...item, content: item.identity }))));
  return { ...ledger, plan };
}

function samePrior(ledger: Ledger): Ledger {
  const sendable: Ledger["sendable"] = async (...range) =>
    (await ledger.sendable(...range)).map((item) => (item.prior === "none" ? item : { ...item, prior: "same" }));
  return { ...ledger, sendable };
}

function unsentForSent(http: Http): Http {
  return (request) =>
    http(request).catch((error: unknown) => {
      if (!(error instanceof TransportError)) throw error;
      throw new TransportError("unsent", error.message, { code: error.code, durationMs: error.durationMs });
    });
}

function successForError(http: Http): Http {
  return async (request) => {
    const reply = await http(request);
    const { key } = partsOf(request);
    const lie = { external_account_number: key, account_number: `A-${key}`, kraken_account_number: `A-${key}` };
    return reply.status < 500 ? reply : { ...reply, status: 201, body: JSON.stringify(lie) };
  };
}
