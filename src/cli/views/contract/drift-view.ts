import { stringify } from "yaml";
import type { Drift, KnownRule, OperationDrift } from "../../../commands/ledger/show-drift.ts";
import type { UndecidedReason } from "../../../rules/language/rule.ts";
import { formatPlace } from "../../../model/place.ts";
import { plainLines, plainText } from "../../../text/plain-text.ts";
import { renderEntryList } from "../../../terminal/text-table.ts";
import type { Screen } from "../../../job/dependencies.ts";
import { counted } from "../../../text/count.ts";
import type { View, ViewOptions } from "../view.ts";

/**
 * Shows the differences between platform and local validation, then the proposed rules as an overlay to review and
 * edit.
 */
export const driftView: View<readonly OperationDrift[]> = { text: driftText };

function driftText(found: readonly OperationDrift[], { screen }: ViewOptions): string {
  const sections = found.map(({ operation, runs, drift }) => {
    const head = `${plainText(operation)}, ${counted(runs, "run")}`;
    if (drift.length === 0) return `${head}: platform and local validation agreed\n`;
    return [
      `${head}\n`,
      section("Rejected by the platform, valid locally", drift, "missed", screen),
      section("Invalid locally, accepted by the platform", drift, "strict", screen),
    ].join("");
  });
  const overlay = overlayOf(found);
  const proposed = overlay === undefined ? [] : [`Proposed rules, as an overlay\n\n${plainLines(overlay)}`];
  return found.length === 0 ? "The ledger contains no push\n" : [...sections, ...proposed].join("\n");
}

function section(title: string, drift: readonly Drift[], kind: Drift["kind"], screen: Screen): string {
  const entries = drift
    .filter((drifted) => drifted.kind === kind)
    .map(({ code, attr, count, example, known, proposal }) => ({
      head: `${code}  ${attr}`,
      body: [
        `${counted(count, "time")}, first at ${formatPlace(example)}`,
        ...(known === undefined ? [] : [knownRuleText(known)]),
        ...(proposal === undefined ? [] : [`a rule of kind ${proposal.rule.kind} is proposed`]),
      ].join("; "),
    }));
  return entries.length === 0 ? "" : `\n${title}\n\n${renderEntryList(entries, screen)}`;
}

function knownRuleText(known: KnownRule): string {
  if (known.kind === "undecided") return UNDECIDED_TEXT[known.reason];
  if (known.kind === "judged") return "the contract has a rule for this code, but the rule accepts this value";
  if (known.kind === "shipped") return `a rule for this code is included in ${known.overlays.join(" and ")}`;
  return `the rule for this code was skipped: declare ${known.missing.map((name) => plainText(name)).join(", ")}`;
}

const UNDECIDED_TEXT: Readonly<Record<UndecidedReason, string>> = {
  platform: "according to the contract, only the platform can check this",
  reference: "according to the contract, this check needs a reference list, and there is no rule for it",
  unclear: "according to the contract, the published text of this code is not precise enough for a rule",
  "not-in-schema": "according to the contract, this check uses fields missing from the document",
};

function overlayOf(found: readonly OperationDrift[]): string | undefined {
  const actions = found
    .flatMap(({ drift }) => drift)
    .flatMap(({ proposal }) =>
      proposal === undefined ? [] : [{ target: proposal.target, update: { "x-rules": [proposal.rule] } }],
    );
  if (actions.length === 0) return undefined;
  const info = { title: "Rules derived from replies of the platform", version: "1" };
  return stringify({ overlay: "1.0.0", info, actions });
}
