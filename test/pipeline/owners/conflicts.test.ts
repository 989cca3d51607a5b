import { expect, it } from "vitest";
import type { Outcome } from "../../../src/model/outcome.ts";
import type { Problem } from "../../../src/model/problem.ts";
import { keepConflictsTogether } from "../../../src/pipeline/owners/conflicts.ts";

const SOURCE = { file: "accounts.csv", line: 2 };

function outcome(record: number, key: string | undefined, ...problems: readonly Problem[]): Outcome {
  return { record, ...(key !== undefined && { key }), source: SOURCE, status: "invalid", problems };
}

const child = (line: number, pointer?: string) => ({ file: "c.json", line, ...(pointer !== undefined && { pointer }) });
const error = { attr: "non_field_errors", severity: "error", by: "local" } as const;

function sharedChild(place: Problem["place"] & object, other: Problem["place"] & object, unlisted?: number): Problem {
  const found = { ...error, code: "source_duplicate_key", source: "c", place, other } as const;
  return unlisted === undefined ? found : { ...found, unlisted };
}

const sameKey: Problem = { ...error, code: "duplicate_key", other: SOURCE, sameContent: false };

/** Returns the owners of the records, if each record would otherwise have an owner of its own. */
async function ownersOf(outcomes: readonly Outcome[]): Promise<readonly string[]> {
  const keepTogether = await keepConflictsTogether(async function* all() {
    yield outcomes;
  });
  return outcomes.map((each) => keepTogether(each, { name: String(each.record) }).name);
}

it("gives records with the same key to one owner, including the first, which has no error of its own", async () => {
  const outcomes = [outcome(1, "\u00e9"), outcome(2, "B"), outcome(3, "e\u0301", sameKey), outcome(4, undefined)];
  expect(await ownersOf(outcomes)).toEqual(["1", "2", "1", "4"]);
});

it("follows chains of conflicts, and distinguishes rows in the same line of a JSON file", async () => {
  const outcomes = [
    outcome(1, "A", sharedChild(child(1, "/0"), child(1, "/1"))),
    outcome(2, "B", sharedChild(child(1, "/5"), child(1, "/6"))),
    outcome(3, "C", sharedChild(child(1, "/3"), child(1, "/2"))),
    outcome(4, "D", sharedChild(child(1, "/2"), child(1, "/1"))),
    outcome(5, "C", sameKey),
    outcome(6, "E"),
  ];
  expect(await ownersOf(outcomes)).toEqual(["1", "2", "1", "1", "1", "6"]);
});

it("gives all conflicting records to one owner if some of their conflicts are not listed", async () => {
  const outcomes = [
    outcome(1, "A", sharedChild(child(1), child(2))),
    outcome(2, "B"),
    outcome(3, "C", sharedChild(child(8), child(9), 7)),
  ];
  expect(await ownersOf(outcomes)).toEqual(["1", "2", "1"]);
});

it("finds long chains of conflicts", async () => {
  const outcomes = Array.from({ length: 20_000 }, (_, index) =>
    outcome(index, `K${index}`, sharedChild(child(index), child(index + 1))),
  );
  expect(new Set(await ownersOf(outcomes.toReversed()))).toEqual(new Set(["19999"]));
});
