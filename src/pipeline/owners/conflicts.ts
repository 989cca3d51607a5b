import { NEEDS_WORK, type Outcome } from "../../model/outcome.ts";
import type { Owner } from "../../model/owner.ts";
import type { Problem } from "../../model/problem.ts";
import type { Report } from "../../report/report.ts";
import { canonicalKey } from "../../text/canonical-key.ts";

/** Returns the owner of a record, given the owner that the rules find. Records must be passed in input order. */
export type KeepTogether = (outcome: Outcome, own: Owner) => Owner;

/**
 * Finds the records that conflict with each other, such as accounts with the same key or the same meter point, or an
 * account and a child row that may belong to it. In separate folders, each of these records could be valid and would
 * then be sent. All of them therefore belong to the owner of the first record. Memory use grows with the number of
 * these records.
 */
export async function keepConflictsTogether(outcomes: Report["outcomes"]): Promise<KeepTogether> {
  const groups = newGroups();
  let isComplete = true;
  for await (const batch of outcomes([...NEEDS_WORK])) {
    for (const outcome of batch) {
      const conflicts = outcome.problems.filter(isConflict);
      for (const conflict of conflicts) groups.unite(nameOf(outcome), rowsIn(conflict));
      if (conflicts.some(({ unlisted }) => unlisted !== undefined)) isComplete = false;
    }
  }
  const owners = new Map<string, Owner>();
  return (outcome, own) => {
    const found = groups.find(nameOf(outcome));
    if (found === undefined) return own;
    // If some conflicts are not listed, the records that they concern are unknown.
    const conflict = isComplete ? found : "";
    const owner = owners.get(conflict) ?? own;
    owners.set(conflict, owner);
    return owner;
  };
}

/** Whether the problem is an error that concerns another row, or the other side of such an error. */
function isConflict(problem: Problem): boolean {
  return problem.severity === "error" && ("other" in problem || "near" in problem);
}

/** Returns the name of a record. Records with the same key have the same name. */
function nameOf({ key, record }: Outcome): string {
  return key === undefined ? `record ${record}` : `key ${canonicalKey(key)}`;
}

/** Returns the names of the rows that a conflict concerns. A duplicate key concerns only records with that key. */
function rowsIn(problem: Problem): readonly string[] {
  if (problem.code === "duplicate_key") return [];
  const places = [problem.place, "other" in problem ? problem.other : undefined].filter((place) => place !== undefined);
  // In JSON, several rows can begin in the same line.
  return places.map(({ file, line, pointer = "" }) => `row ${file}:${line} ${pointer}`);
}

/** Creates groups as trees of names. Searches shorten the paths, so that long chains of conflicts remain fast. */
function newGroups() {
  const parents = new Map<string, string>();
  const topOf = (name: string): string => {
    let top = name;
    for (;;) {
      const parent = parents.get(top) ?? top;
      if (parent === top) return top;
      const above = parents.get(parent) ?? parent;
      parents.set(top, above);
      top = above;
    }
  };
  return {
    unite(name: string, others: readonly string[]): void {
      if (!parents.has(name)) parents.set(name, name);
      for (const other of others) parents.set(topOf(name), topOf(other));
    },
    /** Returns the name that identifies the group; undefined if the name is in no group. */
    find: (name: string): string | undefined => (parents.has(name) ? topOf(name) : undefined),
  };
}
