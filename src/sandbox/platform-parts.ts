import type { Contract } from "../contract/contract.ts";
import type { Clock } from "../time/clock.ts";
import type { Authenticate, Tokens } from "./api/authentication.ts";
import type { FaultPlan } from "./faults/fault-plan.ts";
import type { PlatformCheck } from "./judge/platform-rules.ts";
import type { ImportProcesses } from "./state/import-processes.ts";
import type { RequestHistory, SandboxState } from "./state/sandbox-state.ts";

/** The parts of the platform that its endpoints share. */
export interface PlatformParts {
  readonly contract: Contract;
  readonly state: SandboxState;
  readonly processes: ImportProcesses;
  readonly history: RequestHistory;
  readonly faults: FaultPlan;
  readonly tokens: Tokens;
  readonly authenticate: Authenticate;
  readonly check: PlatformCheck;
  readonly clock: Clock;
}
