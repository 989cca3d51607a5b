import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Intent, Ledger, PlannedItem } from "../../../src/ledger/ledger.ts";
import type { LedgerStore } from "../../../src/ledger/ledger-store.ts";
import type { OpenRecord } from "../../../src/ledger/migration-state.ts";
import { contentHash, recordIdentity } from "../../../src/ledger/records/record-hashes.ts";
import { attemptOutcomeOf, intentOf, item, outcomesOf, planned, POLICY, PUSH } from "../ledger-input.ts";

const SUPPLIERS = ["ACME", "BETA"] as const;
type Supplier = (typeof SUPPLIERS)[number];

/** A row of a random extract. Without a content, the payload could not be built. */
interface Row {
  readonly key: number | undefined;
  readonly content: string | undefined;
  readonly isInvalid: boolean;
}

interface Push {
  readonly kind: "push";
  readonly supplier: Supplier;
  readonly file: string;
  readonly rows: readonly Row[];
  readonly revise: boolean;
  readonly dryRun: boolean;
  readonly isPlanned: boolean;
  readonly results: readonly Result[];
}
/** Sends what a push has left, perhaps after later pushes. */
interface Resume {
  readonly kind: "resume";
  readonly run: number;
  readonly results: readonly Result[];
}
type Result = "accepted" | "rejected" | "ambiguous" | "blocked" | "pending" | "existing" | "unsent";

const result = fc.constantFrom<Result>(
  "accepted",
  "accepted",
  "rejected",
  "ambiguous",
  "blocked",
  "pending",
  "existing",
  "unsent",
);
const results = fc.array(result, { minLength: 6, maxLength: 6 });
const row: fc.Arbitrary<Row> = fc.record({
  key: fc.option(fc.integer({ min: 1, max: 5 }), { nil: undefined, freq: 8 }),
  content: fc.option(fc.constantFrom("a", "b"), { nil: undefined, freq: 8 }),
  isInvalid: fc.boolean(),
});
const anyPush: fc.Arbitrary<Push> = fc.record({
  kind: fc.constant("push" as const),
  supplier: fc.constantFrom(...SUPPLIERS),
  file: fc.constantFrom("a.csv", "b.csv"),
  rows: fc.array(row, { maxLength: 6 }),
  revise: fc.boolean(),
  dryRun: fc.integer({ min: 0, max: 7 }).map((n) => n === 0),
  isPlanned: fc.integer({ min: 0, max: 7 }).map((n) => n > 0),
  results,
});
const resume: fc.Arbitrary<Resume> = fc.record({
  kind: fc.constant("resume" as const),
  run: fc.nat({ max: 9 }),
  results,
});
const steps = fc.array(fc.oneof({ weight: 3, arbitrary: anyPush }, { weight: 1, arbitrary: resume }), {
  minLength: 2,
  maxLength: 9,
});

interface PlannedPush extends Push {
  readonly id: string;
  /** The content of the platform when the ledger skipped a record as done. */
  readonly skipped: Map<string, string | undefined>;
  readonly startedAt: string;
}

/** The migration as plain lists, without any query of the ledger except for the status of a row in its own push. */
interface Model {
  readonly pushes: PlannedPush[];
  /** By supplier and key: the content that the platform has. */
  readonly platform: Map<string, string>;
  readonly unclear: Map<string, "ambiguous" | "existing">;
}

const nameOf = (supplier: string, key: string | number): string => `${supplier} ${key}`;

function itemsOf({ rows, supplier, file }: Push): readonly PlannedItem[] {
  return rows.map(({ key, content, isInvalid }, index) => {
    const isSent = key !== undefined && content !== undefined && !isInvalid;
    return item(index + 1, `K${key}`, content, {
      file,
      key: key === undefined ? undefined : `K${key}`,
      identity: key === undefined ? undefined : recordIdentity({ ...PUSH, supplier, key: `K${key}` }),
      content: content === undefined ? undefined : contentHash({ content }),
      status: isSent ? "valid" : "invalid",
      rowHash: key === undefined ? (content === "a" ? 1 : undefined) : undefined,
    });
  });
}

async function send(ledger: Ledger, push: PlannedPush, given: readonly Result[], model: Model): Promise<void> {
  const found = await ledger.sendable(push.id, 1, 100);
  const chosen = found.flatMap((sendable, index): readonly { intent: Intent; status: Result }[] => {
    const status = given[index] ?? "unsent";
    return status === "unsent" ? [] : [{ intent: intentOf(sendable), status }];
  });
  await ledger.saveIntents(
    push.id,
    chosen.map(({ intent }) => intent),
  );
  const outcomes = chosen.flatMap(({ intent, status }) =>
    status === "unsent" ? [] : attemptOutcomeOf(intent, status),
  );
  await ledger.saveOutcomes(push.id, outcomes);
  for (const { record, status } of outcomes) {
    const { key, content } = push.rows[record - 1] ?? {};
    const name = nameOf(push.supplier, `K${key}`);
    model.unclear.delete(name);
    if (status === "accepted") model.platform.set(name, content ?? "");
    if (status === "ambiguous" || status === "existing") model.unclear.set(name, status);
  }
}

async function noteSkipped(ledger: Ledger, { id, supplier, skipped }: PlannedPush, { platform }: Model): Promise<void> {
  for (const { key = "", status } of await outcomesOf(ledger, id)) {
    const name = nameOf(supplier, key);
    if (status === "skipped" && !skipped.has(name)) skipped.set(name, platform.get(name));
  }
}

async function take(ledger: Ledger, step: Push | Resume, model: Model): Promise<void> {
  if (step.kind === "resume") {
    const push = model.pushes[step.run];
    if (push === undefined) return;
    await ledger.resumeRun(push.id, { ...POLICY, revise: push.revise });
    await noteSkipped(ledger, push, model);
    await send(ledger, push, step.results, model);
    return;
  }
  const startedAt = new Date(Date.UTC(2026, 10, 1 + model.pushes.length)).toISOString();
  const run = { supplier: step.supplier, dryRun: step.dryRun, startedAt };
  if (!step.isPlanned) {
    const { id } = await ledger.startRun({ ...PUSH, ...run });
    await ledger.plan(id, itemsOf(step));
    return;
  }
  const id = await planned(ledger, itemsOf(step), { run, policy: { revise: step.revise } });
  if (step.dryRun) return;
  const push = { ...step, id, startedAt, skipped: new Map() };
  model.pushes.push(push);
  await noteSkipped(ledger, push, model);
  await send(ledger, push, step.results, model);
}

/** Each open record as `supplier key state since`, and the counts of each supplier. */
interface Seen {
  readonly open: readonly string[];
  readonly counts: Readonly<Record<string, Readonly<Record<string, number>>>>;
}

async function stateOf(
  ledger: Ledger,
  { key, name, latest }: { readonly key: number; readonly name: string; readonly latest: PlannedPush },
  { platform, unclear }: Pick<Model, "platform" | "unclear">,
): Promise<string | undefined> {
  const contents = new Set(latest.rows.flatMap((other) => (other.key === key ? [other.content] : [])));
  const [content] = contents;
  const [{ status } = { status: undefined }] = await outcomesOf(ledger, latest.id, { key: `K${key}` });
  const latestContent = latest.skipped.has(name) ? latest.skipped.get(name) : contents.size === 1 ? content : undefined;
  const isSame = latestContent !== undefined && platform.get(name) === latestContent;
  const onPlatform = isSame ? "accepted" : "outdated";
  return unclear.get(name) ?? (platform.has(name) ? onPlatform : status === "blocked" ? "pending" : status);
}

async function expected(ledger: Ledger, { pushes, platform, unclear }: Model): Promise<Seen> {
  const open: string[] = [];
  const counts: Record<string, Record<string, number>> = {};
  const add = (supplier: string, name: string): void => {
    const own = (counts[supplier] ??= {});
    own[name] = (own[name] ?? 0) + 1;
  };
  for (const supplier of SUPPLIERS) {
    const own = pushes.filter((push) => push.supplier === supplier);
    const keys = new Set(own.flatMap(({ rows }) => rows.flatMap(({ key }) => key ?? [])));
    for (const key of keys) {
      const having = own.filter(({ rows }) => rows.some((other) => other.key === key));
      const [first, latest] = [having[0], having.at(-1)];
      if (first === undefined || latest === undefined) throw new Error("No push has the key.");
      const name = nameOf(supplier, `K${key}`);
      const state = await stateOf(ledger, { key, name, latest }, { platform, unclear });
      add(supplier, "records");
      add(supplier, String(state));
      if (state !== "accepted") open.push(`${name} ${state} ${first.startedAt}`);
    }
    for (const line of keylessLines(own)) {
      add(supplier, "withoutKey");
      open.push(line);
    }
  }
  return { open: open.toSorted(), counts };
}

/** The rows without a key of pushes to one destination, unless a later push has their file or the same row. */
function keylessLines(own: readonly PlannedPush[]): readonly string[] {
  const lines: string[] = [];
  for (const [at, push] of own.entries()) {
    for (const [index, keyless] of push.rows.entries()) {
      const isSame = (other: Row): boolean => other.key === undefined && other.content === "a";
      const later = own.slice(at + 1).filter(({ rows }) => rows.length > 0);
      const isOver = later.some(
        ({ file, rows }) => file === push.file || (keyless.content === "a" && rows.some(isSame)),
      );
      if (keyless.key !== undefined || isOver) continue;
      lines.push(`${push.supplier} ${push.file} ${index + 2} invalid`);
    }
  }
  return lines;
}

/** The pushes with a record that is left, or ambiguous, in its latest push. */
async function expectedUnsettled(ledger: Ledger, { pushes }: Model): Promise<readonly string[]> {
  const statuses = new Set(["pending", "blocked", "ambiguous"]);
  const open = await openOf(ledger);
  const unsettled = pushes.map(async ({ id }) => {
    const left = (await outcomesOf(ledger, id)).filter(({ status }) => statuses.has(status));
    const isLeft = left.some(({ key }) => open.some((record) => record.run === id && record.key === key));
    return isLeft ? [id] : [];
  });
  return (await Promise.all(unsettled)).flat().toReversed();
}

async function openOf(ledger: Ledger): Promise<readonly OpenRecord[]> {
  const all: OpenRecord[] = [];
  for await (const batch of ledger.openRecords()) all.push(...batch);
  return all;
}

async function seen(ledger: Ledger): Promise<Seen> {
  const counts: Record<string, Record<string, number>> = {};
  for (const { supplier, records, withoutKey, counts: states } of await ledger.migration()) {
    if (records + withoutKey === 0) continue;
    const all = Object.entries({ records, withoutKey, ...states });
    counts[supplier] = Object.fromEntries(all.filter(([, count]) => count !== 0));
  }
  const open = (await openOf(ledger)).map(({ supplier, key, state, since, source: { file, line } }) =>
    key === undefined ? `${supplier} ${file} ${line} ${state}` : `${nameOf(supplier, key)} ${state} ${since}`,
  );
  return { open: open.toSorted(), counts };
}

/** The state of the migration equals that of a plain model, after any sequence of pushes. */
export function describeMigration(kind: string, open: () => Promise<LedgerStore>, numRuns: number): void {
  describe(`${kind} knows the state of every record across its runs`, () => {
    test("after any sequence of pushes, revisions, failures and resumed runs", async () => {
      await fc.assert(
        fc.asyncProperty(steps, async (taken) => {
          const store = await open();
          const ledger = await store.write("push", { create: true });
          try {
            const model: Model = { pushes: [], platform: new Map(), unclear: new Map() };
            for (const step of taken) {
              await take(ledger, step, model);
              expect(await seen(ledger)).toEqual(await expected(ledger, model));
              expect(await ledger.unsettledRuns()).toEqual(await expectedUnsettled(ledger, model));
            }
          } finally {
            await ledger.close();
          }
        }),
        { numRuns },
      );
    }, 120_000);

    test("with problems, the run and the place of the latest item, only since a time", async () => {
      const ledger = await (await open()).write("push", { create: true });
      const required = { attr: "name", severity: "error", by: "local", code: "required" } as const;
      const bad = { status: "invalid", problems: [required] } as const;
      await planned(ledger, [item(1, "K1", "old", bad), item(2, "K2", "bad", bad)]);
      const run = await planned(ledger, [item(1, "K1", "new", bad), item(2, "K3", "bad", bad)], {
        run: { startedAt: "2026-11-21T00:00:00.000Z" },
      });
      const [first] = await openOf(ledger);
      expect(first).toMatchObject({ key: "K1", state: "invalid", run, since: PUSH.startedAt, problems: [required] });
      const since: OpenRecord[] = [];
      for await (const batch of ledger.openRecords({ since: "2026-11-21" })) since.push(...batch);
      expect(since).toMatchObject([{ key: "K3", source: { file: "a.csv", line: 3 } }]);
      await ledger.close();
    });
  });
}
