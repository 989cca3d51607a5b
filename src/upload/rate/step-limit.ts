import { getOrAdd } from "../../model/groups.ts";
import type { StepClient } from "../../platform/import/step-clients.ts";
import type { UploadEvent } from "../upload-types.ts";

/**
 * Limits the requests in flight at each step of a workflow. A platform that limits a single step (such as "process" in
 * published contracts) answers with 429 and no `Retry-After`. Only that step then slows down.
 */
export interface StepLimits {
  readonly isOpen: (step: StepClient) => boolean;
  /** Call this when a request is sent. Pass the returned slot to `leave` when the request ends. */
  readonly enter: (step: StepClient) => StepSlot;
  readonly leave: (slot: StepSlot) => void;
  /** Call this when the reply to the request was a 429. */
  readonly pushedBack: (slot: StepSlot) => void;
  /** Returns the number of requests in flight at all steps. */
  readonly inFlight: () => number;
}

/** A request in flight, as counted by the limit of its step. */
export interface StepSlot {
  readonly step: StepClient;
  /**
   * Number of limit changes before the request was sent. A request sent before the last change says nothing about the
   * new limit.
   */
  readonly epoch: number;
  pushedBack: boolean;
}

interface StepState {
  limit: number;
  inFlight: number;
  epoch: number;
  /** Number of accepted requests since the last change of the limit. */
  successes: number;
}

/**
 * Number of accepted requests after which the limit grows by one, as a multiple of the limit. Each increase may cost a
 * refusal.
 */
const SUCCESSES_PER_INCREASE = 20;

/** @param maximum limit on the requests in flight at all steps */
export function createStepLimits(maximum: number, onChange: (event: UploadEvent) => void): StepLimits {
  const states = new Map<StepClient, StepState>();
  let inFlight = 0;

  const stateOf = (step: StepClient): StepState =>
    getOrAdd(states, step, () => ({ limit: maximum, inFlight: 0, epoch: 0, successes: 0 }));

  const change = (state: StepState, limit: number, reason: string): void => {
    state.limit = limit;
    state.epoch += 1;
    state.successes = 0;
    onChange({ kind: "pace", limit, reason });
  };

  return {
    isOpen(step) {
      const state = stateOf(step);
      return state.inFlight < state.limit;
    },
    enter(step) {
      const state = stateOf(step);
      state.inFlight += 1;
      inFlight += 1;
      return { step, epoch: state.epoch, pushedBack: false };
    },
    leave({ step, epoch, pushedBack }) {
      const state = stateOf(step);
      state.inFlight -= 1;
      inFlight -= 1;
      if (pushedBack || epoch < state.epoch || state.limit >= maximum) return;
      state.successes += 1;
      if (state.successes >= SUCCESSES_PER_INCREASE * state.limit)
        change(state, state.limit + 1, `the step ${nameOf(step)} accepts requests again`);
    },
    pushedBack(slot) {
      const state = stateOf(slot.step);
      slot.pushedBack = true;
      if (slot.epoch < state.epoch) return;
      change(state, Math.max(1, Math.floor(state.inFlight / 2)), `HTTP 429 at the step ${nameOf(slot.step)}`);
    },
    inFlight: () => inFlight,
  };
}

function nameOf({ name = "post" }: StepClient): string {
  return name;
}
