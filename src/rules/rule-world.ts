import type { RuleBook, SettingValue } from "../grammar/rule.ts";
import type { JsonObject } from "../model/json.ts";
import type { PhoneTest } from "./phone.ts";
import type { Spot } from "./spot.ts";

/** What rules know beside the payload. */
export interface RuleWorld {
  readonly book: RuleBook;
  /** The instance's settings that are declared, defaults filled in. */
  readonly settings: ReadonlyMap<string, SettingValue>;
  readonly references: ReadonlyMap<string, ReferenceList>;
  readonly now: RuleClock;
  /** For contracts whose rules ask for telephone numbers. */
  readonly phone?: PhoneTest | undefined;
}

export interface RuleClock {
  /** YYYY-MM-DD, in the instance's time zone. */
  readonly today: string;
  /** Milliseconds since 1970: the same moment, or start and end of a day that was given without a time. */
  readonly earliest: number;
  readonly latest: number;
  /** The day that the instance's clocks show at an instant. */
  readonly dayOf: (instant: number) => string;
}

/** Rows of a list that the user keeps; cells are text. */
export interface ReferenceList {
  readonly columns: readonly string[];
  readonly rows: readonly JsonObject[];
}

/** What one judgement looks at, beside the spot at which an expression is worked out. Written before each judgement. */
export interface Scope {
  /** The object that the rule stands on: `top`. */
  top: Spot;
  /** The object that is judged: `this`. */
  self: Spot;
  other: Spot | undefined;
  found: Spot | undefined;
  /** Attrs at which structure is already reported; undefined when there are none. */
  wrong: ReadonlySet<string> | undefined;
  /** Whether something was read that is already reported. */
  unsound: boolean;
}
