import type { MayLeave } from "../platform/judged-request.ts";
import type { Halt } from "./halt.ts";
import type { Pace } from "./pace.ts";
import type { Parcel } from "./parcel.ts";
import type { SupplierGates } from "./supplier-gates.ts";

export interface DepartureTools {
  readonly pace: Pace;
  readonly halt: Halt;
  readonly gates: SupplierGates;
}

/**
 * Lets the requests of one delivery go. The first has had its turn when the record was dispatched, and heeds only what
 * has changed since, while it waited for its token; each further one (the repeat with a newer token, the question why a
 * step was refused) waits for its turn as a record does. None leaves when the run is halted, or the import supplier has
 * closed.
 */
export function departureOf(parcel: Parcel, { pace, halt, gates }: DepartureTools): MayLeave {
  const mayLeave = (): boolean => !halt.stopping.aborted && gates.mayLeave(parcel.sendable.supplier);
  let turn = pace.paused;
  return async () => {
    for (let wait = turn(halt.stopping); wait !== undefined && mayLeave(); wait = turn(halt.stopping)) await wait;
    turn = pace.hold;
    parcel.ticket = pace.ticket();
    return mayLeave();
  };
}
