import type { Contract, Operation } from "../contract/contract.ts";
import type { UndecidedReason } from "../grammar/rule.ts";
import { needsOf } from "../grammar/rule-needs.ts";
import { sentTypes } from "../contract/step-fields.ts";
import { rulesWithin, skipReason } from "../rules/rule-reach.ts";
import type { ReferenceList } from "../rules/rule-world.ts";
import { settingsFor } from "../rules/settings-check.ts";
import type { JobSettings } from "./job.ts";
import { settingsKnownTo } from "./rule-world.ts";

/** Why local validation let something through of which somebody has written what it is. */
export type KnownRule =
  /** The contract has a rule, left out because the configuration does not declare `rules.<name>`, `references.<name>`. */
  | { readonly kind: "skipped"; readonly missing: readonly string[] }
  /** The contract has a rule, and it says less than the platform. */
  | { readonly kind: "judged" }
  /** The contract says that no rule can decide it. */
  | { readonly kind: "undecided"; readonly reason: UndecidedReason }
  /** Overlays that come with this program have a rule, and the contract does not take them. */
  | { readonly kind: "shipped"; readonly overlays: readonly string[] };

/** What is known of rules, by the code that they report. */
export type KnownRules = (code: string) => KnownRule | undefined;

/** @param shipped the overlays that have rules, by code */
export function knownRules(
  { contract, operation, settings }: RunContract,
  shipped: ReadonlyMap<string, readonly string[]>,
): KnownRules {
  const rules = [...new Set(sentTypes(operation).flatMap(rulesWithin))];
  const { ruleBook: book } = contract;
  const declared = settingsKnownTo(contract, settings);
  // Whether a list is declared is what counts here: it is taken to have what rules look at.
  const columnsOf = (list: string): readonly string[] =>
    rules.flatMap((rule) => [...(needsOf(rule, book).lists.get(list)?.read ?? [])]);
  const references = new Map<string, ReferenceList>(
    Object.keys(declared.references ?? {}).map((name) => [name, { columns: columnsOf(name), rows: [] }]),
  );
  const world = { book, settings: settingsFor(book, declared.rules ?? {}), references };
  return (code) => {
    const own = rules.filter((rule) => rule.code === code);
    const reasons = own.flatMap((rule) => skipReason(rule, world) ?? []);
    const missing = reasons.map(({ kind, name }) => `${kind === "setting" ? "rules" : "references"}.${name}`);
    if (missing.length > 0) return { kind: "skipped", missing: [...new Set(missing)].toSorted() };
    if (own.length > 0) return { kind: "judged" };
    const reason = book.undecided.get(code);
    if (reason !== undefined) return { kind: "undecided", reason };
    const overlays = (shipped.get(code) ?? []).filter((name) => !settings.contract.includes(name));
    return overlays.length === 0 ? undefined : { kind: "shipped", overlays };
  };
}

/** What a run was judged by. */
export interface RunContract {
  readonly contract: Contract;
  readonly operation: Operation;
  readonly settings: JobSettings;
}
