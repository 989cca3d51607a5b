import type { Contract } from "../../contract/contract.ts";
import { findOperation } from "../../contract/operations/find-operation.ts";
import type { Operation } from "../../contract/operations/operation.ts";
import { sentTypes } from "../../contract/operations/step-fields.ts";
import { pathsFrom, readContract, shippedRuleCodes } from "../../job/contract-files.ts";
import type { ContractCaching, Notifier } from "../../job/dependencies.ts";
import type { JobSettings } from "../../job/settings/job-settings.ts";
import { settingsOf } from "../../job/settings/recorded-settings.ts";
import { relevantRuleSettings } from "../../job/settings/rule-configuration.ts";
import { attrPattern } from "../../json/attr.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import type { Run } from "../../ledger/records/run.ts";
import { openLedgerStore } from "../../ledger/open-ledger-store.ts";
import { recover } from "../../model/failure.ts";
import type { Outcome } from "../../model/outcome.ts";
import type { Place } from "../../model/place.ts";
import type { Problem } from "../../model/problem.ts";
import { readRunLedger, requireRun } from "../../pipeline/run/run-ledger.ts";
import { type ReferenceList, ruleSettingValues } from "../../rules/engine/rule-context.ts";
import { requirementsOf, rulesWithin, skipReason } from "../../rules/engine/rule-requirements.ts";
import type { UndecidedReason } from "../../rules/language/rule.ts";
import { proposeRule, type RuleProposal } from "../../contract/describe/propose-rule.ts";

export interface DriftOptions {
  readonly ledger: string;
  /** Id of the run, or a prefix of it. Default: every push in the ledger. */
  readonly run?: string | undefined;
}

/** Differences between the platform and local validation, for one operation. */
export interface OperationDrift {
  readonly operation: string;
  readonly runs: number;
  readonly drift: readonly Drift[];
}

/**
 * Finds problems in the ledger that only the platform reported, and local errors in records that the platform accepted.
 */
export async function drift(
  options: DriftOptions,
  dependencies: ContractCaching & Notifier,
): Promise<readonly OperationDrift[]> {
  return readRunLedger(await openLedgerStore(options.ledger, dependencies), async (ledger) => {
    const runs = options.run === undefined ? await ledger.runs() : [await requireRun(ledger, options.run)];
    const sent = runs.filter(({ command, dryRun }) => command === "push" && !dryRun);
    const found: OperationDrift[] = [];
    for (const operation of new Set(sent.map((run) => run.operation))) {
      const same = sent.filter((run) => run.operation === operation);
      const advise = await adviserOf(same, dependencies);
      found.push({ operation, runs: same.length, drift: await collectDrift(outcomesOf(ledger, same), advise) });
    }
    return found;
  });
}

async function* outcomesOf(ledger: Ledger, runs: readonly Run[]): AsyncGenerator<readonly Outcome[]> {
  for (const run of runs) yield* ledger.outcomes(run.id, { statuses: ["accepted", "rejected"] });
}

/**
 * Returns a function that gives advice based on the contract of the latest run. Without a readable contract, the
 * function gives no advice.
 */
async function adviserOf([latest]: readonly Run[], dependencies: ContractCaching & Notifier): Promise<Advise> {
  if (latest === undefined) return () => ({});
  const read = async (): Promise<Advise> => {
    const { job: settings } = settingsOf(latest);
    const contract = await readContract(settings.contract.map(pathsFrom(settings.folder)), dependencies);
    const operation = findOperation(contract, latest.operation);
    return advice(operation, knownRules({ contract, operation, settings }, await shippedRuleCodes()));
  };
  return recover(read, ({ message }) => {
    dependencies.notice(`No rules are proposed: ${message}`);
    return () => ({});
  });
}

function advice({ body }: Operation, knownOf: KnownRules): Advise {
  return (code, attr) => {
    const known = knownOf(code);
    const isSettled = known !== undefined && known.kind !== "shipped";
    const proposal = isSettled || body === undefined ? undefined : proposeRule(body, code, attr);
    return { ...(known && { known }), ...(proposal && { proposal }) };
  };
}

/** Advice for a code that local validation missed: the known rule, and a proposal if the contract has no such rule. */
interface Advice {
  readonly known?: KnownRule;
  readonly proposal?: RuleProposal;
}

/** Returns advice for a code that local validation missed. */
type Advise = (code: string, attr: string) => Advice;

/** A difference between the platform and local validation. Only `missed` has advice. */
export interface Drift extends Advice {
  /**
   * - `missed`: valid locally but rejected by the platform
   * - `strict`: invalid locally but accepted by the platform
   */
  readonly kind: "missed" | "strict";
  readonly code: string;
  /** The attr, with `*` instead of each list index. */
  readonly attr: string;
  readonly count: number;
  /** The first occurrence: the cell, or the row of the record. */
  readonly example: Place;
}

/** Maximum number of distinct combinations of kind, code and attr. Limits memory use. */
const MAX_KINDS = 2000;

/**
 * Collects the drift in outcomes, most frequent first. A record that was rejected without an error code, for example
 * because of a closed supplier or an existing key, causes no drift.
 */
async function collectDrift(outcomes: AsyncIterable<readonly Outcome[]>, advise: Advise): Promise<readonly Drift[]> {
  const found = new Map<string, Drift>();
  for await (const batch of outcomes) {
    for (const outcome of batch) for (const problem of driftOf(outcome)) note(found, outcome, problem);
  }
  return [...found.values()]
    .map((one) => (one.kind === "strict" ? one : { ...one, ...advise(one.code, one.attr) }))
    .toSorted((one, other) => other.count - one.count || (one.code < other.code ? -1 : 1));
}

function driftOf({ status, problems }: Outcome): readonly Problem[] {
  if (status === "rejected") return missed(problems);
  return status === "accepted" ? problems.filter(isLocalError) : [];
}

/**
 * Returns the problems that the platform reported, except those that local validation also reported with the same attr
 * and code.
 */
function missed(problems: readonly Problem[]): readonly Problem[] {
  const known = new Set(problems.filter(({ by }) => by === "local").map(({ attr, code }) => `${attr} ${code}`));
  return problems.filter(({ by, attr, code }) => by === "platform" && !known.has(`${attr} ${code}`));
}

/** Whether the problem predicts a rejection. Other problems do not count as drift if the record is accepted. */
function isLocalError({ by, code }: Problem): boolean {
  return by === "local" && !NO_PREDICTIONS.has(code);
}

const NO_PREDICTIONS: ReadonlySet<string> = new Set(["coerced", "near_duplicate_key", "changed_since_export"]);

function note(found: Map<string, Drift>, outcome: Outcome, problem: Problem): void {
  const kind = outcome.status === "rejected" ? "missed" : "strict";
  const { code, place = outcome.source } = problem;
  const attr = attrPattern(problem.attr);
  const key = `${kind} ${code} ${attr}`;
  const known = found.get(key);
  if (known === undefined && found.size >= MAX_KINDS) return;
  found.set(key, { ...(known ?? { kind, code, attr, example: place }), count: (known?.count ?? 0) + 1 });
}

/** A known reason why local validation missed a problem. */
export type KnownRule =
  /**
   * The contract has a rule, but it is skipped because the configuration does not declare `rules.<name>` or
   * `references.<name>`.
   */
  | { readonly kind: "skipped"; readonly missing: readonly string[] }
  /** The contract has a rule, but the rule is weaker than the platform's. */
  | { readonly kind: "judged" }
  /** The contract states that no rule can decide the code. */
  | { readonly kind: "undecided"; readonly reason: UndecidedReason }
  /** A bundled overlay has a rule, but the contract does not use this overlay. */
  | { readonly kind: "shipped"; readonly overlays: readonly string[] };

/** Looks up the known rule for a reported code. */
type KnownRules = (code: string) => KnownRule | undefined;

/** @param shipped names of the overlays with rules, by code */
export function knownRules(
  { contract, operation, settings }: RunContract,
  shipped: ReadonlyMap<string, readonly string[]>,
): KnownRules {
  const rules = [...new Set(sentTypes(operation).flatMap(rulesWithin))];
  const { ruleDeclarations: declarations } = contract;
  const configured = relevantRuleSettings(contract, settings);
  // It matters only whether a list is configured, so each list is assumed to have the columns that the rules read.
  const columnsOf = (list: string): readonly string[] =>
    rules.flatMap((rule) => [...(requirementsOf(rule, declarations).lists.get(list)?.read ?? [])]);
  const references = new Map<string, ReferenceList>(
    Object.keys(configured.references ?? {}).map((name) => [name, { columns: columnsOf(name), rows: [] }]),
  );
  const context = { declarations, settings: ruleSettingValues(declarations, configured.rules ?? {}), references };
  return (code) => {
    const own = rules.filter((rule) => rule.code === code);
    const reasons = own.flatMap((rule) => skipReason(rule, context) ?? []);
    const missing = reasons.map(({ kind, name }) => `${kind === "setting" ? "rules" : "references"}.${name}`);
    if (missing.length > 0) return { kind: "skipped", missing: [...new Set(missing)].toSorted() };
    if (own.length > 0) return { kind: "judged" };
    const reason = declarations.undecided.get(code);
    if (reason !== undefined) return { kind: "undecided", reason };
    const overlays = (shipped.get(code) ?? []).filter((name) => !settings.contract.includes(name));
    return overlays.length === 0 ? undefined : { kind: "shipped", overlays };
  };
}

/** The contract and settings that a run was validated against. */
interface RunContract {
  readonly contract: Contract;
  readonly operation: Operation;
  readonly settings: JobSettings;
}
