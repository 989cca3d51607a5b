import { between, type Dice, pickWeighted } from "../seeded-dice.ts";
import type { Faults, Weather } from "./weather.ts";

/** The result of one request. */
export type DrawnResult =
  /** The request is never sent. */
  | { readonly kind: "unsent"; readonly code: string }
  /** The request is sent but does not arrive. */
  | { readonly kind: "lost"; readonly code: string; readonly afterMs: number }
  /**
   * The request is processed, but its reply is lost. `lateMs`: processing ends this long after the client has given up.
   */
  | { readonly kind: "unheard"; readonly code: string; readonly afterMs: number; readonly lateMs: number }
  /** The request is processed; half of the reply arrives. */
  | { readonly kind: "cut" }
  /** The reply has this status. `processed`: whether the request is processed before the reply. */
  | { readonly kind: "answered"; readonly status: number; readonly processed: boolean; readonly retryAfter?: string }
  /** A proxy replies instead of the platform. */
  | { readonly kind: "page" }
  | { readonly kind: "good" };

const TIMEOUT_MS = 60_000;
/**
 * `lateMs` as a multiple of `afterMs` for a request whose connection fails. A repeat may arrive before the request is
 * processed.
 */
const LATE_FACTOR = 5;
const GOOD: DrawnResult = { kind: "good" };

export function drawResult(dice: Dice, weather: Weather, now: number): DrawnResult {
  const faults = weather.at(now);
  if (faults.cut) return cutOff(dice);
  if (faults.busy && dice() < 0.6) return pushedBack(dice);
  if (!weather.isClear() && weather.lateShare > 0 && dice() < weather.lateShare) return late(dice);
  if (weather.isClear() || dice() >= (faults.erratic ? 0.5 : weather.baseErrorRate)) return GOOD;
  return drawFault(dice, faults);
}

function cutOff(dice: Dice): DrawnResult {
  if (dice() < 0.15) return { kind: "lost", code: "UND_ERR_HEADERS_TIMEOUT", afterMs: TIMEOUT_MS };
  const code = pickWeighted(dice, [
    [3, "ECONNREFUSED"],
    [2, "UND_ERR_CONNECT_TIMEOUT"],
    [1, "EHOSTUNREACH"],
  ]);
  return { kind: "unsent", code };
}

function pushedBack(dice: Dice): DrawnResult {
  const retryAfter = pickWeighted(dice, [
    [4, undefined],
    [2, "0"],
    [3, "1"],
    [1, "30"],
    [1, "soon"],
  ]);
  const status = dice() < 0.8 ? 429 : 503;
  return { kind: "answered", status, processed: false, ...(retryAfter !== undefined && { retryAfter }) };
}

function late(dice: Dice): DrawnResult {
  return { kind: "unheard", code: "ECONNRESET", afterMs: between(dice, 1, 400), lateMs: between(dice, 0, 60_000) };
}

function drawFault(dice: Dice, { erratic }: Faults): DrawnResult {
  const soon = between(dice, 1, 400);
  const socket = dice() < 0.5 ? "ECONNRESET" : "UND_ERR_SOCKET";
  return pickWeighted<DrawnResult>(dice, [
    [3, { kind: "unsent", code: "ECONNRESET" }],
    [3, { kind: "lost", code: socket, afterMs: soon }],
    [4, { kind: "unheard", code: socket, afterMs: soon, lateMs: LATE_FACTOR * soon }],
    [1, { kind: "lost", code: "UND_ERR_HEADERS_TIMEOUT", afterMs: TIMEOUT_MS }],
    [1, { kind: "unheard", code: "UND_ERR_HEADERS_TIMEOUT", afterMs: TIMEOUT_MS, lateMs: between(dice, 0, 90_000) }],
    [1, { kind: "unheard", code: "HTTPParserError", afterMs: soon, lateMs: 0 }],
    [2, { kind: "cut" }],
    [2, { kind: "answered", status: pickWeighted(dice, ERRORS), processed: dice() < 0.5 }],
    [1, { kind: "answered", status: pickWeighted(dice, NOT_PROCESSED), processed: false }],
    [1, { kind: "answered", status: 400, processed: false }],
    [erratic ? 1 : 0, { kind: "page" }],
  ]);
}

const ERRORS: readonly (readonly [number, number])[] = [
  [3, 500],
  [2, 502],
  [1, 504],
  [1, 408],
];
const NOT_PROCESSED: readonly (readonly [number, number])[] = [
  [3, 429],
  [1, 425],
  [1, 421],
];
