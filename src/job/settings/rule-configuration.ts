import { requestTypes } from "../../contract/operations/operation.ts";
import type { Contract } from "../../contract/contract.ts";
import { requirementsOf, rulesWithin, skipReason } from "../../rules/engine/rule-requirements.ts";
import type { Rule, RuleDeclarations, SettingValue } from "../../rules/language/rule.ts";
import { counted } from "../../text/count.ts";
import { suggestionOr } from "../../text/suggestion.ts";
import { Failure } from "../../model/failure.ts";
import { readReferenceList } from "../../read/lists/reference-list.ts";
import { isPhoneKind, loadPhoneTest } from "../../rules/engine/value-formats.ts";
import { type ReferenceList, ruleClock, type RuleContext, ruleSettingValues } from "../../rules/engine/rule-context.ts";

/** The user's settings for rules. Plain data: stored with the run. */
export interface RuleSettings {
  /** `rules:` of the configuration file. */
  readonly rules?: Readonly<Record<string, SettingValue>> | undefined;
  /** `references:` name -> file. */
  readonly references?: Readonly<Record<string, string>> | undefined;
  /** `--today`, YYYY-MM-DD. */
  readonly today?: string | undefined;
}

interface RuleEnvironment {
  readonly resolve: (file: string) => string;
  /** Returns the location of a file, given its resolved name. */
  readonly pathOf?: (file: string) => string;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/**
 * Loads the data that the rules of a contract need in addition to the payload. Returns undefined if the contract has
 * neither rules nor settings for rules.
 * @throws Failure `config` for settings and lists that the rules cannot use
 */
export async function loadRuleContext(
  contract: Contract,
  { rules: configured = {}, references: files = {}, today }: RuleSettings,
  { resolve, pathOf = (file) => file, now }: RuleEnvironment,
): Promise<RuleContext | undefined> {
  const rules = rulesOf(contract);
  const { ruleDeclarations: declarations } = contract;
  if (rules.length === 0 && declarations.settings.size === 0) return undefined;
  const settings = ruleSettingValues(declarations, configured);
  const zone = settings.get("time_zone");
  const read = (file: string): Promise<ReferenceList> =>
    readReferenceList(resolve(file), { from: pathOf(resolve(file)) });
  const references = await readReferences(rules, contract, Object.entries(files), read);
  const asksForPhones = rules.some((rule) => [...requirementsOf(rule, declarations).formats].some(isPhoneKind));
  return {
    declarations,
    settings,
    references,
    clock: ruleClock(now, typeof zone === "string" ? zone : "UTC", today),
    phone: asksForPhones ? await loadPhoneTest() : undefined,
  };
}

/** Returns the settings that the contract uses. A configuration may also contain settings for other contracts. */
export function relevantRuleSettings(
  contract: Contract,
  { rules = {}, references = {}, today }: RuleSettings,
): RuleSettings {
  const asked = keyColumnsUsed(rulesOf(contract), contract.ruleDeclarations);
  return {
    rules: Object.fromEntries(Object.entries(rules).filter(([name]) => contract.ruleDeclarations.settings.has(name))),
    references: Object.fromEntries(Object.entries(references).filter(([name]) => asked.has(name))),
    today,
  };
}

function rulesOf({ operations }: Contract): readonly Rule[] {
  return operations.flatMap(requestTypes).flatMap(rulesWithin);
}

async function readReferences(
  rules: readonly Rule[],
  { ruleDeclarations }: Contract,
  files: readonly (readonly [string, string])[],
  read: (file: string) => Promise<ReferenceList>,
): Promise<ReadonlyMap<string, ReferenceList>> {
  const columns = keyColumnsUsed(rules, ruleDeclarations);
  const lists = new Map<string, ReferenceList>();
  for (const [name, file] of files) {
    const keys = columns.get(name);
    if (keys === undefined) throw unknownList(name, [...columns.keys()]);
    const list = await read(file);
    const missing = keys.find((column) => !list.columns.includes(column));
    if (missing !== undefined) {
      throw new Failure("config", `${file}: the reference list ${name} needs a column "${missing}"`, {
        hint: `its columns are ${list.columns.join(", ")}`,
      });
    }
    lists.set(name, list);
  }
  return lists;
}

/** Returns the reference lists that rules use, each with the columns by which rules look up rows. */
function keyColumnsUsed(
  rules: readonly Rule[],
  declarations: RuleDeclarations,
): ReadonlyMap<string, readonly string[]> {
  const columns = new Map<string, readonly string[]>();
  for (const rule of rules) {
    for (const [list, { keys }] of requirementsOf(rule, declarations).lists)
      columns.set(list, [...(columns.get(list) ?? []), ...keys]);
  }
  return columns;
}

function unknownList(name: string, known: readonly string[]): Failure {
  const hint = known.length === 0 ? "the rules of the contract use no lists" : `the rules use ${known.join(", ")}`;
  return new Failure("config", `references.${name}: no rule of the contract uses this list`, {
    hint: suggestionOr(hint, name, known),
  });
}

/**
 * Returns a line with the number of skipped rules and the missing settings and reference lists that they need;
 * undefined if all rules are checked.
 */
export function skippedRulesText(rules: readonly Rule[], context: RuleContext): string | undefined {
  const reasons = rules.flatMap((rule) => skipReason(rule, context) ?? []);
  if (reasons.length === 0) return undefined;
  const names = reasons.map(({ kind, name }) => `${kind === "setting" ? "rules" : "references"}.${name}`);
  const missing = [...new Set(names)].toSorted();
  const shown =
    missing.length > 6 ? `${missing.slice(0, 5).join(", ")} and ${missing.length - 5} more` : missing.join(", ");
  const skipped = `${reasons.length} of ${counted(rules.length, "rule")} ${reasons.length === 1 ? "is" : "are"} skipped`;
  return `${skipped} because the configuration does not declare ${shown}`;
}
