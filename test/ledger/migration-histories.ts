import fc from "fast-check";
import type { Decision } from "../../src/ledger/records/requests.ts";

/** Two suppliers of one target, and a supplier of two targets. */
export const DESTINATIONS = [
  { target: "one.example/v1/", supplier: "ACME" },
  { target: "one.example/v1/", supplier: "BETA" },
  { target: "two.example/v1/", supplier: "ACME" },
] as const;
export type Destination = (typeof DESTINATIONS)[number];

/** A row of a random extract. If `content` is undefined, the payload could not be built. */
export interface Row {
  readonly key: number | undefined;
  readonly content: string | undefined;
  readonly isInvalid: boolean;
}

export interface Push {
  readonly kind: "push";
  readonly to: Destination;
  readonly file: string;
  readonly rows: readonly Row[];
  readonly revise: boolean;
  readonly end: "planned" | "dry run" | "unfinished plan";
  readonly results: readonly Result[];
}
/** Sends the remaining records of a push, possibly after later pushes. */
interface Resume {
  readonly kind: "resume";
  readonly run: number;
  readonly results: readonly Result[];
}
/** Decides the ambiguous and existing records of a push, possibly after later pushes. */
export interface Reconcile {
  readonly kind: "reconcile";
  readonly run: number;
  readonly decisions: readonly (Decision["decision"] | "none")[];
}
/** Excludes the records with these keys from the migration, or ends their exclusions. */
export interface Exclude {
  readonly kind: "exclude";
  readonly to: Destination;
  readonly keys: readonly number[];
  readonly ends: boolean;
}
export type Step = Push | Resume | Reconcile | Exclude;
/** `interrupted`: the process ends before the reply. `unsent`: the run ends before the request. */
export type Result =
  | "accepted"
  | "rejected"
  | "ambiguous"
  | "blocked"
  | "pending"
  | "existing"
  | "interrupted"
  | "unsent";

export const MOST_ROWS = 6;
const listOf = <Value>(value: fc.Arbitrary<Value>): fc.Arbitrary<readonly Value[]> =>
  fc.array(value, { minLength: MOST_ROWS, maxLength: MOST_ROWS });
const results = listOf(
  fc.oneof(
    { weight: 3, arbitrary: fc.constant("accepted" as const) },
    {
      weight: 6,
      arbitrary: fc.constantFrom<Result>(
        "rejected",
        "ambiguous",
        "blocked",
        "pending",
        "existing",
        "interrupted",
        "unsent",
      ),
    },
  ),
);
const row: fc.Arbitrary<Row> = fc.record({
  key: fc.option(fc.integer({ min: 1, max: 5 }), { nil: undefined, freq: 8 }),
  content: fc.option(fc.constantFrom("a", "b"), { nil: undefined, freq: 8 }),
  isInvalid: fc.integer({ min: 0, max: 2 }).map((n) => n === 0),
});
const anyPush: fc.Arbitrary<Push> = fc.record({
  kind: fc.constant("push" as const),
  to: fc.oneof({ weight: 2, arbitrary: fc.constant(DESTINATIONS[0]) }, fc.constantFrom(...DESTINATIONS)),
  file: fc.constantFrom("a.csv", "b.csv"),
  rows: fc.array(row, { maxLength: MOST_ROWS }),
  revise: fc.boolean(),
  end: fc.oneof(
    { weight: 6, arbitrary: fc.constant("planned" as const) },
    fc.constantFrom("dry run" as const, "unfinished plan" as const),
  ),
  results,
});
const run = fc.nat({ max: 9 });
const resume: fc.Arbitrary<Resume> = fc.record({ kind: fc.constant("resume" as const), run, results });
const reconcile: fc.Arbitrary<Reconcile> = fc.record({
  kind: fc.constant("reconcile" as const),
  run,
  decisions: listOf(fc.constantFrom<Decision["decision"] | "none">("accepted", "rejected", "resend", "none")),
});

const exclude: fc.Arbitrary<Exclude> = fc.record({
  kind: fc.constant("exclude" as const),
  to: fc.oneof({ weight: 2, arbitrary: fc.constant(DESTINATIONS[0]) }, fc.constantFrom(...DESTINATIONS)),
  keys: fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 4 }),
  ends: fc.integer({ min: 0, max: 2 }).map((n) => n === 0),
});

export const histories: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.oneof(
    { weight: 5, arbitrary: anyPush },
    { weight: 2, arbitrary: resume },
    { weight: 1, arbitrary: reconcile },
    { weight: 2, arbitrary: exclude },
  ),
  { minLength: 2, maxLength: 10 },
);
