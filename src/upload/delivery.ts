import type { Failure } from "../model/failure.ts";
import type { Answer, MayLeave } from "../platform/judged-request.ts";
import type { DeliveryTools, Finish } from "./delivery-tools.ts";
import { departureOf } from "./departure.ts";
import { createOnward } from "./onward.ts";
import { conclude, isHarmless, type Parcel, settlementFor, waiting, withDoubt } from "./parcel.ts";
import { createRetryBudget, decideRetry } from "./retry.ts";
import type { UploadOptions, UploadParts } from "./sendable.ts";
import { createWatch } from "./watch.ts";

/** Takes one record from the backlog. Never rejects. */
type Delivery = (parcel: Parcel | undefined) => Promise<void>;

const MAX_WAIT_MS = 5 * 60_000;

/** One record, one request, and what follows from its answer; once halted, `pending` without a request. */
export function createDelivery(parts: UploadParts, options: UploadOptions, tools: DeliveryTools): Delivery {
  const { clock, random } = parts;
  const { backlog, pace, journal, halt, gates, onSaved, inFlight } = tools;
  const budget = createRetryBudget();
  const watch = createWatch({ pace, budget, clock, maxWaitMs: options.maxWaitMs ?? MAX_WAIT_MS });

  const finish: Finish = (parcel, conclusion, answer) => {
    const settlement = settlementFor(parcel, withDoubt(conclusion, parcel), { clock, answer });
    journal.settle(settlement, () => onSaved(settlement));
    gates.over(parcel.sendable.supplier);
    backlog.drop();
  };
  const lose = (error: unknown): void => {
    halt.stop(error);
    backlog.drop();
  };
  const nobodyTakes = (): Failure | undefined =>
    options.oneSupplier === true && !gates.waits ? gates.failure() : undefined;
  const onward = createOnward(parts, tools, finish);
  const end = (parcel: Parcel, answer: Answer): void => {
    const conclusion = conclude(answer, parcel, options.rehearsal);
    finish(parcel, gates.waits ? waiting(conclusion) : conclusion, answer);
  };

  const send = async (parcel: Parcel): Promise<void> => {
    parcel.ticket = pace.ticket();
    const answered = await request(parcel, halt.killed, departureOf(parcel, tools));
    const sent = withoutCap(answered, parcel, parts.steps.length > 1 ? tools : undefined);
    const answer = { ...sent, verdict: gates.judge(sent.verdict, parcel.sendable.supplier) };
    const failure = watch.learn(answer, parcel.ticket, inFlight()) ?? nobodyTakes();
    if (failure !== undefined) halt.stop(failure);
    if (answer.verdict.kind === "unsent" && !halt.stopping.aborted) {
      backlog.putBack(parcel);
      return;
    }
    parcel.tries += 1;
    const harmless = isHarmless(parcel);
    if (answer.verdict.kind === "ambiguous" && !harmless) parcel.inDoubt = true;
    const mayRepeat = harmless || parcel.at.step.dedupes;
    const retry = decideRetry(answer, { tries: parcel.tries, dedupes: mayRepeat, budget, random });
    if (retry.again) onward.retry(parcel, answer, retry.afterMs).catch(lose);
    else onward.go(parcel, answer, end).catch(lose);
  };

  return async (parcel) => {
    if (parcel === undefined) return;
    const held = halt.stopping.aborted || !gates.mayLeave(parcel.sendable.supplier);
    if (held) finish(parcel, { status: "pending", reason: "not sent" }, undefined);
    else await send(parcel).catch(lose);
  };
}

function request({ at, sendable }: Parcel, signal: AbortSignal, mayLeave: MayLeave): Promise<Answer> {
  const { step, mode } = at;
  const { payload, steps } = sendable;
  if (mode === "send" || step.status === undefined)
    return step.send(payload, signal, mayLeave, steps?.get(step.name ?? ""));
  return step.status.ask(payload, signal, mayLeave);
}

/** A 429 without `Retry-After` at one step of several is that step's own cap: it slows the step, and nothing else. */
function withoutCap(answer: Answer, { pass }: Parcel, tools: Pick<DeliveryTools, "stepGates"> | undefined): Answer {
  const { pushBack, ...rest } = answer;
  const isCap = answer.http === 429 && pushBack?.afterMs === undefined;
  if (!isCap || tools === undefined || pass === undefined) return answer;
  tools.stepGates.pushedBack(pass);
  return rest;
}
