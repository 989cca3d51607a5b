import type { Settlement } from "../ledger/ledger.ts";
import type { Answer } from "../platform/judged-request.ts";
import type { Backlog } from "./backlog.ts";
import type { Halt } from "./halt.ts";
import type { Journal } from "./journal.ts";
import type { Pace } from "./pace.ts";
import type { Conclusion, Parcel } from "./parcel.ts";
import type { Route } from "./route.ts";
import type { StepGates } from "./step-gates.ts";
import type { SupplierGates } from "./supplier-gates.ts";

/** What all deliveries of an upload share. */
export interface DeliveryTools {
  readonly backlog: Backlog;
  readonly pace: Pace;
  readonly journal: Journal;
  readonly halt: Halt;
  readonly gates: SupplierGates;
  readonly stepGates: StepGates;
  readonly route: Route;
  /** The record has its outcome, durably. */
  readonly onSaved: (settlement: Settlement) => void;
  /** Requests under way. */
  readonly inFlight: () => number;
}

/** Gives a record its outcome. */
export type Finish = (parcel: Parcel, conclusion: Conclusion, answer: Answer | undefined) => void;
