import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { DatabaseSync } from "@photostructure/sqlite";
import { type Admin, type HeldAccount, type OutcomeLine, outcomeLines, type SeenRequest } from "./push-scene.ts";

/** Three independent records of one push: the platform's history, the ledger file, and the report files. */
export interface PushEvidence {
  readonly platform: { readonly requests: readonly SeenRequest[]; readonly accounts: readonly HeldAccount[] };
  readonly ledger: {
    readonly items: readonly LedgerItem[];
    /** Number of intents ever written, by key. */
    readonly attempts: ReadonlyMap<string, number>;
    /** Time of the first intent, ISO 8601, by key. */
    readonly intendedAt: ReadonlyMap<string, string>;
  };
  readonly report: { readonly lines: readonly OutcomeLine[]; readonly summary: Readonly<Record<string, unknown>> };
}

interface LedgerItem {
  readonly record: number;
  readonly key: string;
  readonly status: string;
  readonly account: string | null;
}

/** Collects the evidence. Reads the ledger with plain SQL, not with the code that wrote it. */
export async function collectEvidence(
  admin: Pick<Admin, "imports" | "accounts">,
  ledger: string,
  run: string,
): Promise<PushEvidence> {
  const folder = path.join(path.dirname(ledger), "runs", run);
  return {
    platform: { requests: (await admin.imports()).filter(isSending), accounts: await admin.accounts() },
    ledger: readLedger(ledger, run),
    report: {
      lines: outcomeLines(readIfExists(path.join(folder, "outcomes.ndjson"))),
      summary: JSON.parse(readIfExists(path.join(folder, "summary.json")) || "{}"),
    },
  };
}

/** Returns whether a request can create a record. A GET request only reads a record back. */
function isSending({ method }: SeenRequest): boolean {
  return method !== "GET";
}

export interface Allowed {
  /** Number of records that may stay ambiguous. */
  readonly ambiguous: number;
  /** Whether replies were truncated. The report can then lack the number of a created account. */
  readonly cutReplies?: boolean;
}

/**
 * Returns every contradiction between the platform, the ledger and the report, and every record that is lost,
 * unaccounted for or created twice. Each message begins with the violated invariant (docs/reliability.md). Every record
 * of the push must be valid, and must end as `accepted`, or as `ambiguous` if allowed.
 */
export function contradictions(keys: readonly string[], evidence: PushEvidence, allowed: Allowed): readonly string[] {
  return [
    ...missingOrUnknown(keys, evidence),
    ...createdTwice(evidence),
    ...sentBeforeIntent(evidence),
    ...disagreements(evidence, allowed),
    ...unfinished(evidence, allowed),
  ];
}

/**
 * Checks that each record of the input has exactly one line and one item, and that nothing else was reported or sent.
 */
function missingOrUnknown(keys: readonly string[], { platform, ledger, report }: PushEvidence): readonly string[] {
  const known = new Set(keys);
  const unknownRequests = platform.requests.filter(({ key, processed }) =>
    key === undefined ? processed : !known.has(key),
  );
  return [
    ...notExactlyOnce(
      "I5: the report",
      keys,
      report.lines.map(({ key }) => key ?? "no key"),
    ),
    ...notExactlyOnce(
      "I1: the ledger",
      keys,
      ledger.items.map(({ key }) => key),
    ),
    ...unknownRequests.map(({ request, key }) => `I6: request ${request} was for ${key}, which is not in the input`),
  ];
}

function notExactlyOnce(who: string, keys: readonly string[], found: readonly string[]): readonly string[] {
  const counts = countEach(found);
  const known = new Set(keys);
  return [...new Set([...keys, ...found])]
    .filter((key) => counts.get(key) !== 1 || !known.has(key))
    .map((key) => `${who} has ${key} ${counts.get(key) ?? 0} times`);
}

function createdTwice({ platform }: PushEvidence): readonly string[] {
  return [...countEach(platform.accounts.map(({ key }) => key))]
    .filter(([, count]) => count > 1)
    .map(([key, count]) => `nothing twice: the platform has created ${key} ${count} times`);
}

/** Compares the platform's times with the ledger's. Both use the clock of the same machine. */
function sentBeforeIntent({ platform, ledger }: PushEvidence): readonly string[] {
  return platform.requests.flatMap(({ key = "", at }) => {
    const intendedAt = ledger.intendedAt.get(key);
    return intendedAt !== undefined && at < intendedAt
      ? [`I2: ${key} arrived at ${at}, intended at ${intendedAt}`]
      : [];
  });
}

function disagreements({ platform, ledger, report }: PushEvidence, { cutReplies = false }: Allowed): readonly string[] {
  const items = new Map(ledger.items.map((item) => [item.key, item]));
  const held = new Map(platform.accounts.map((account) => [account.key, account.number]));
  const posts = platform.requests.filter(({ method }) => method === "POST");
  const requests = countEach(posts.map(({ key }) => key ?? ""));
  return report.lines.flatMap(({ key = "", status, account }) => {
    const item = items.get(key);
    const [seen, intended] = [requests.get(key) ?? 0, ledger.attempts.get(key) ?? 0];
    const isAccepted = status === "accepted";
    const isCreated = held.has(key);
    const isNumbered = account === held.get(key) || (cutReplies && isCreated && account === undefined);
    return brokenRules([
      [item?.status === status, `I5: ${key}: ${status} in the report, ${item?.status} in the ledger`],
      [!isAccepted || isNumbered, `I3: ${key}: accepted as ${account}, the platform holds ${held.get(key)}`],
      [
        isAccepted || status === "ambiguous" || !isCreated,
        `nothing lost: ${key}: created, and ${status} in the report`,
      ],
      [seen <= intended, `I6: ${key}: ${seen} requests, and ${intended} intents in the ledger`],
    ]);
  });
}

function brokenRules(rules: readonly (readonly [holds: boolean, otherwise: string])[]): readonly string[] {
  return rules.flatMap(([holds, otherwise]) => (holds ? [] : [otherwise]));
}

function unfinished({ report }: PushEvidence, allowed: Allowed): readonly string[] {
  const { lines, summary } = report;
  const counts = countEach(lines.map(({ status }) => status));
  const ambiguous = counts.get("ambiguous") ?? 0;
  return brokenRules([
    ...lines.map(({ key, status }) => [FINAL.has(status), `nothing lost: ${key} ended ${status}`] as const),
    [ambiguous <= allowed.ambiguous, `P5: ${ambiguous} ambiguous records, and ${allowed.ambiguous} are allowed`],
    ...[...counts].map(
      ([status, count]) =>
        [
          summary[status] === count,
          `I5: ${count} lines ${status}, the summary says ${String(summary[status])}`,
        ] as const,
    ),
    [summary["records"] === lines.length, `I5: ${lines.length} lines, the summary says ${String(summary["records"])}`],
  ]);
}

const FINAL: ReadonlySet<string> = new Set(["accepted", "ambiguous"]);

function countEach(texts: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return counts;
}

/** Reads the items and, for each key, the number of intents and the time of the first intent. */
function readLedger(file: string, run: string): PushEvidence["ledger"] {
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    const items = database.prepare(ITEMS).all(run).map(toItem);
    const attempts = database.prepare(ATTEMPTS).all();
    return {
      items,
      attempts: new Map(attempts.map(({ key, attempts: count }) => [String(key), Number(count)])),
      intendedAt: new Map(attempts.map(({ key, first }) => [String(key), String(first)])),
    };
  } finally {
    database.close();
  }
}

const ITEMS = `select record, key, status, account from items where run = (select id from runs where name = ?)`;

const ATTEMPTS = `
  select key, count(*) as attempts, min(intended_at) as first
  from items join attempts on attempts.run = items.run and attempts.record = items.record group by key`;

function toItem(row: Readonly<Record<string, unknown>>): LedgerItem {
  const { record, key, status, account } = row;
  return {
    record: Number(record),
    key: String(key),
    status: String(status),
    account: typeof account === "string" ? account : null,
  };
}

function readIfExists(file: string): string {
  return existsSync(file) ? readFileSync(file, "utf8") : "";
}
