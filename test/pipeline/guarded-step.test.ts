import { expect, test } from "vitest";
import { guardedStep } from "../../src/pipeline/send/guarded-step.ts";
import type { StepClient } from "../../src/platform/import/step-clients.ts";
import { fakeClock } from "../upload/scene.ts";

/** Creates a step that asks whether its request may be sent, and counts the requests that it sends. */
function createScene() {
  const clock = fakeClock();
  const lost = new AbortController();
  const aborted = new AbortController();
  const state = { isHeld: true, left: 0, asked: 0, heldBack: false };
  const step: StepClient = {
    idempotent: false,
    dedupesByKey: false,
    async send(_payload, _signal, maySend) {
      const mayBeSent = (await maySend?.()) !== false;
      if (mayBeSent && state.heldBack) {
        Object.assign(state, { heldBack: false, isHeld: false });
        return { replyClass: { kind: "unsent", code: "HELD_BACK", reason: "held back" }, durationMs: 0 };
      }
      if (mayBeSent) state.left += 1;
      return { replyClass: { kind: "cancelled", reason: "only asked" }, durationMs: 0 };
    },
  };
  const guarded = guardedStep(step, { isHeld: () => state.isHeld, clock, lost: lost.signal });
  const send = (maySend?: () => Promise<boolean>): Promise<unknown> => guarded.send({}, aborted.signal, maySend);
  return { clock, lost, aborted, state, send };
}

test("sends a request immediately while the lease is held", async () => {
  const { clock, state, send } = createScene();
  await send();
  expect([state.left, clock.monotonic()]).toEqual([1, 0]);
});

test("delays a request until the lease is held again", async () => {
  const { clock, state, send } = createScene();
  state.isHeld = false;
  const sent = send();
  await clock.sleep(10_000);
  expect(state.left).toBe(0);
  state.isHeld = true;
  await sent;
  expect(state.left).toBe(1);
});

test.each(["lost", "aborted"] as const)(
  "sends no request if the lease or the run is %s while it waits",
  async (which) => {
    const { clock, state, send, ...signals } = createScene();
    state.isHeld = false;
    const sent = send();
    await clock.sleep(1_000);
    signals[which].abort();
    state.isHeld = true;
    await sent;
    expect(state.left).toBe(0);
  },
);

test("sends a request that was held back at its first byte once the lease is held", async () => {
  const { clock, state, send } = createScene();
  state.heldBack = true;
  const sent = send();
  await clock.sleep(1_000);
  expect(state.left).toBe(0);
  state.isHeld = true;
  await sent;
  expect(state.left).toBe(1);
});

test("waits for the lease again if it expires while a request waits for its turn", async () => {
  const { clock, state, send } = createScene();
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
  "detects that the lease or the run is %s while a token request is held back",
  async (which) => {
    const { clock, lost, aborted, isHeld } = { ...createScene(), isHeld: () => false };
    let tries = 0;
    const heldBack = { kind: "unsent", code: "HELD_BACK", reason: "held back" } as const;
    const send = async (): ReturnType<StepClient["send"]> => {
      tries += 1;
      return { replyClass: heldBack, durationMs: 0 };
    };
    const guarded = guardedStep({ idempotent: false, dedupesByKey: false, send }, { isHeld, clock, lost: lost.signal });
    const sent = guarded.send({}, aborted.signal, undefined);
    await clock.sleep(1_000);
    expect(tries).toBeGreaterThan(1);
    expect(tries).toBeLessThan(50);
    ({ lost, aborted })[which].abort();
    expect(await sent).toMatchObject({ replyClass: heldBack });
  },
);
