import type { StepClient } from "../../platform/import/step-clients.ts";
import type { UploadEvent } from "../upload-types.ts";

/**
 * How many records may be at each step of a workflow. A platform that takes only so many of one kind at a time says so
 * with 429 and no `Retry-After`: that step is slowed, and the others go on (the cap on `process`, PLATFORM 2.3).
 */
export interface StepLimits {
  readonly isOpen: (step: StepClient) => boolean;
  /** A request leaves; to be handed back when it is over. */
  readonly enter: (step: StepClient) => StepSlot;
  readonly leave: (pass: StepSlot) => void;
  /** The request met a 429. */
  readonly pushedBack: (pass: StepSlot) => void;
}

/** One request's way through the gate of its step. */
export interface StepSlot {
  readonly step: StepClient;
  /** Requests that left before the last change say nothing about what has changed. */
  readonly epoch: number;
  pushedBack: boolean;
}

interface StepLimit {
  limit: number;
  inFlight: number;
  epoch: number;
  /** Requests that came through since the last change. */
  through: number;
}

/** So many times the limit have to come through before one more is tried: each try costs a refusal. */
const SUCCESSES_PER_INCREASE = 20;

/** @param most requests that can be in flight at all */
export function createStepLimits(most: number, onChange: (event: UploadEvent) => void): StepLimits {
  const gates = new Map<StepClient, StepLimit>();

  const gateOf = (step: StepClient): StepLimit => {
    const known = gates.get(step);
    if (known !== undefined) return known;
    const gate = { limit: most, inFlight: 0, epoch: 0, through: 0 };
    gates.set(step, gate);
    return gate;
  };

  const change = (gate: StepLimit, limit: number, reason: string): void => {
    gate.limit = limit;
    gate.epoch += 1;
    gate.through = 0;
    onChange({ kind: "pace", limit, reason });
  };

  return {
    isOpen(step) {
      const gate = gateOf(step);
      return gate.inFlight < gate.limit;
    },
    enter(step) {
      const gate = gateOf(step);
      gate.inFlight += 1;
      return { step, epoch: gate.epoch, pushedBack: false };
    },
    leave({ step, epoch, pushedBack }) {
      const gate = gateOf(step);
      gate.inFlight -= 1;
      if (pushedBack || epoch < gate.epoch || gate.limit >= most) return;
      gate.through += 1;
      if (gate.through >= SUCCESSES_PER_INCREASE * gate.limit)
        change(gate, gate.limit + 1, `the step ${nameOf(step)} comes through`);
    },
    pushedBack(pass) {
      const gate = gateOf(pass.step);
      pass.pushedBack = true;
      if (pass.epoch < gate.epoch) return;
      change(gate, Math.max(1, Math.floor(gate.inFlight / 2)), `HTTP 429 at the step ${nameOf(pass.step)}`);
    },
  };
}

function nameOf({ name = "post" }: StepClient): string {
  return name;
}
