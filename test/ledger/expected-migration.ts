import type { Ledger } from "../../src/ledger/ledger.ts";
import { outcomesOf } from "./ledger-input.ts";
import { DESTINATIONS, type Row } from "./migration-histories.ts";
import { isDone, type MigrationModel, nameOf, type PlannedPush } from "./migration-model.ts";

/** The results that the ledger should return. */
export interface ExpectedMigration {
  /**
   * A line per open record, sorted: destination, key, state and start; without a key: destination, file, line and
   * state.
   */
  readonly open: readonly string[];
  /** The nonzero counts of each destination. */
  readonly counts: Readonly<Record<string, Readonly<Record<string, number>>>>;
  /** Ids of the runs with records that are still to be sent or are ambiguous, latest first. */
  readonly unsettled: readonly string[];
}

type Statuses = ReadonlyMap<string, readonly string[]>;

export async function expectedMigration(ledger: Ledger, model: MigrationModel): Promise<ExpectedMigration> {
  const statuses = new Map<string, readonly string[]>();
  for (const { id } of model.pushes)
    statuses.set(
      id,
      (await outcomesOf(ledger, id)).map(({ status }) => status),
    );
  const open: string[] = [];
  const unsettled = new Set<string>();
  const counts: Record<string, Record<string, number>> = {};
  for (const to of DESTINATIONS) {
    const where = `${to.target} ${to.supplier}`;
    const add = (name: string): void => {
      const own = (counts[where] ??= {});
      own[name] = (own[name] ?? 0) + 1;
    };
    const pushes = model.pushes.filter((push) => push.to === to);
    const keys = new Set(pushes.flatMap(({ rows }) => rows.flatMap(({ key }) => key ?? [])));
    for (const key of keys) {
      const having = pushes.filter(({ rows }) => rows.some((other) => other.key === key));
      const latest = having.at(-1);
      if (latest === undefined) throw new Error("No push has the key.");
      const name = nameOf(to, key);
      const state = stateOf(key, { name, latest, own: statusOf(latest, key, statuses) }, model);
      add("records");
      add(state);
      if (state === "accepted" || state === "excluded") continue;
      open.push(`${name} ${state} ${model.since.get(name)}`);
      if (isLeft(latest, key, statuses)) unsettled.add(latest.id);
      // A push that could not plan the record cannot find out what became of its request.
      else if (model.unclear.get(name) === "ambiguous")
        for (const push of having) if (isLeft(push, key, statuses, ["ambiguous"])) unsettled.add(push.id);
    }
    for (const line of keylessLines(pushes)) {
      add("withoutKey");
      open.push(`${where} ${line}`);
    }
  }
  const latestFirst = model.pushes.map(({ id }) => id).toReversed();
  return { open: open.toSorted(), counts, unsettled: latestFirst.filter((id) => unsettled.has(id)) };
}

const statusOf = ({ id, rows }: PlannedPush, key: number, statuses: Statuses): string =>
  statuses.get(id)?.[rows.findIndex((other) => other.key === key)] ?? "";

const LEFT: readonly string[] = ["pending", "blocked", "ambiguous"];

const isLeft = ({ id, rows }: PlannedPush, key: number, statuses: Statuses, left = LEFT): boolean =>
  rows.some((other, index) => other.key === key && left.includes(statuses.get(id)?.[index] ?? ""));

function stateOf(
  key: number,
  { name, latest, own }: { readonly name: string; readonly latest: PlannedPush; readonly own: string },
  model: MigrationModel,
): string {
  const { platform, unclear, inFlight, refused, excluded } = model;
  const uncertain = unclear.get(name);
  if (excluded.has(name) && uncertain !== "ambiguous" && !platform.has(name)) return "excluded";
  if (uncertain !== undefined) return uncertain;
  if (inFlight.get(name) === latest.id) return "ambiguous";
  if (platform.has(name)) return isDone(latest, key, model) ? "accepted" : "outdated";
  if (own === "invalid") return "invalid";
  return !["pending", "blocked", "excluded"].includes(own) && refused.has(name) ? "rejected" : "pending";
}

/**
 * Returns the rows without a key from pushes to one destination. Omits a row if a later push contains its file or the
 * same row.
 */
function keylessLines(pushes: readonly PlannedPush[]): readonly string[] {
  return pushes.flatMap((push, at) => {
    const later = pushes.slice(at + 1).filter(({ rows }) => rows.length > 0);
    return push.rows.flatMap(({ key, content }, index) => {
      const isSame = (other: Row): boolean => content === "a" && other.key === undefined && other.content === "a";
      const isOver = later.some(({ file, rows }) => file === push.file || rows.some(isSame));
      return key !== undefined || isOver ? [] : [`${push.file} ${index + 2} invalid`];
    });
  });
}
