import { expect, test } from "vitest";
import { guardedStep } from "../../src/pipeline/send/guarded-step.ts";
import type { StepClient } from "../../src/platform/import/step-clients.ts";
import { fakeClock } from "../upload/scene.ts";

/** A step that asks whether its request may leave, and counts those that did. */
function bed() {
  const clock = fakeClock();
  const lost = new AbortController();
  const aborted = new AbortController();
  const state = { isHeld: true, left: 0, asked: 0, heldBack: false };
  const step: StepClient = {
    idempotent: false,
    dedupesByKey: false,
    async send(_payload, _signal, maySend) {
      const mayLeave = (await maySend?.()) !== false;
      if (mayLeave && state.heldBack) {
        Object.assign(state, { heldBack: false, isHeld: false });
        return { replyClass: { kind: "unsent", code: "HELD_BACK", reason: "held back" }, durationMs: 0 };
      }
      if (mayLeave) state.left += 1;
      return { replyClass: { kind: "cancelled", reason: "only asked" }, durationMs: 0 };
    },
  };
  const guarded = guardedStep(step, { lease: { isHeld: () => state.isHeld }, clock, lost: lost.signal });
  const send = (maySend?: () => Promise<boolean>): Promise<unknown> => guarded.send({}, aborted.signal, maySend);
  return { clock, lost, aborted, state, send };
}

test("a request leaves at once while the lease is held", async () => {
  const { clock, state, send } = bed();
  await send();
  expect([state.left, clock.monotonic()]).toEqual([1, 0]);
});

test("a request waits until the lease is held again", async () => {
  const { clock, state, send } = bed();
  state.isHeld = false;
  const sent = send();
  await clock.sleep(10_000);
  expect(state.left).toBe(0);
  state.isHeld = true;
  await sent;
  expect(state.left).toBe(1);
});

test.each(["lost", "aborted"] as const)(
  "no request leaves when the lease or the run is %s meanwhile",
  async (which) => {
    const { clock, state, send, ...signals } = bed();
    state.isHeld = false;
    const sent = send();
    await clock.sleep(1_000);
    signals[which].abort();
    state.isHeld = true;
    await sent;
    expect(state.left).toBe(0);
  },
);

test("a request that was held back at its first byte is made again when the lease is held", async () => {
  const { clock, state, send } = bed();
  state.heldBack = true;
  const sent = send();
  await clock.sleep(1_000);
  expect(state.left).toBe(0);
  state.isHeld = true;
  await sent;
  expect(state.left).toBe(1);
});

test("a lease that ends while a request waits for its turn is waited for before the request leaves", async () => {
  const { clock, state, send } = bed();
  const sent = send(async () => {
    state.asked += 1;
    if (state.asked === 1) state.isHeld = false;
    return true;
  });
  await clock.sleep(5_000);
  expect(state.left).toBe(0);
  state.isHeld = true;
  await sent;
  expect(state).toMatchObject({ left: 1, asked: 2 });
});

test.each(["lost", "aborted"] as const)(
  "a request whose token is held back does not keep the process from learning that the lease or the run is %s",
  async (which) => {
    const { clock, lost, aborted, lease } = { ...bed(), lease: { isHeld: () => false } };
    let tries = 0;
    const heldBack = { kind: "unsent", code: "HELD_BACK", reason: "held back" } as const;
    const send = async (): ReturnType<StepClient["send"]> => {
      tries += 1;
      return { replyClass: heldBack, durationMs: 0 };
    };
    const guarded = guardedStep({ idempotent: false, dedupesByKey: false, send }, { lease, clock, lost: lost.signal });
    const sent = guarded.send({}, aborted.signal, undefined);
    await clock.sleep(1_000);
    expect(tries).toBeGreaterThan(1);
    expect(tries).toBeLessThan(50);
    ({ lost, aborted })[which].abort();
    expect(await sent).toMatchObject({ replyClass: heldBack });
  },
);
