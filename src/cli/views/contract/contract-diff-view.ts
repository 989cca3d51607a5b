import type { ContractDiff, MappedChange } from "../../../commands/contract/contract-diff.ts";
import type { Contract } from "../../../contract/contract.ts";
import { formatPlace, type Place } from "../../../model/place.ts";
import { indentedJson } from "../../../terminal/safe-json.ts";
import { plainText } from "../../../text/plain-text.ts";
import { markdownTable, renderEntryList } from "../../../terminal/text-table.ts";
import { counted } from "../../../text/count.ts";
import type { View, ViewOptions } from "../view.ts";

/** Shows changes by effect, the most severe first. Lists a change only once if it occurs in several operations. */
export const contractDiffView: View<ContractDiff> = {
  text: contractDiffText,
  json: contractDiffJson,
  markdown: contractDiffMarkdown,
};

export function contractWarningText(place: Place, message: string): string {
  return `${formatPlace(place)}: warning: ${plainText(message)}; changes that depend on it may be missing`;
}

function contractDiffText(diff: ContractDiff, { screen }: ViewOptions): string {
  const sections = sectionsOf(diff).map(({ title, changes }) => {
    const entries = changes.map((group) => {
      const { change, operations } = group;
      const where = change.attr === undefined ? [] : [`in ${operations.join(", ")}`];
      return {
        head: change.attr ?? operations.join(", "),
        body: [change.text, ...conditionOf(group), ...where].join("; "),
      };
    });
    return `\n${title}\n\n${renderEntryList(entries, screen)}`;
  });
  return [`${headOf(diff)}\n`, ...sections].join("");
}

function contractDiffMarkdown(diff: ContractDiff): string {
  const columns = [{ title: "attr", code: true }, "change", "operations"];
  const sections = sectionsOf(diff).map(({ title, changes }) => {
    const rows = changes.map((group) => [
      group.change.attr ?? "",
      [group.change.text, ...conditionOf(group)].join("; "),
      group.operations.join(", "),
    ]);
    return `\n### ${title}\n\n${markdownTable(rows, columns)}`;
  });
  return [`## ${headOf(diff)}\n`, ...sections].join("");
}

function contractDiffJson({ old, new: next, changes, mapping, warnings }: ContractDiff): string {
  return indentedJson({ old: titleOf(old), new: titleOf(next), mapping, changes, warnings });
}

/** The same change in several operations, or under several conditions. */
interface GroupedChange {
  readonly change: MappedChange;
  readonly operations: readonly string[];
  readonly conditions: readonly string[];
}

function sectionsOf({ changes, mapping }: ContractDiff) {
  const grouped = groupsOf(changes);
  const kinds =
    mapping === undefined
      ? ([
          ["Breaks payloads that were valid before", ({ breaks }: MappedChange) => breaks],
          ["Does not break valid payloads", ({ breaks }: MappedChange) => !breaks],
        ] as const)
      : ([
          [`Breaks ${mapping}`, (change: MappedChange) => change.mapping === "broken"],
          [`Affects ${mapping} without breaking it`, (change: MappedChange) => change.mapping === "touched"],
          ["Not in the mapping", (change: MappedChange) => change.mapping === "untouched"],
        ] as const);
  return kinds
    .map(([title, fits]) => ({ title, changes: grouped.filter(({ change }) => fits(change)) }))
    .filter((section) => section.changes.length > 0);
}

function groupsOf(changes: readonly MappedChange[]): readonly GroupedChange[] {
  const groups = new Map<string, MappedChange[]>();
  for (const change of changes) {
    const { operation: _operation, when: _when, ...rest } = change;
    const key = JSON.stringify(rest);
    groups.set(key, [...(groups.get(key) ?? []), change]);
  }
  return [...groups.values()].flatMap((same) => {
    const [change] = same;
    if (change === undefined) return [];
    const operations = [...new Set(same.map(({ operation }) => operation))];
    const always = same.some(({ when }) => when === undefined);
    return [{ change, operations, conditions: always ? [] : [...new Set(same.map(({ when }) => when ?? ""))] }];
  });
}

function headOf({ old, new: next, changes, mapping }: ContractDiff): string {
  const grouped = groupsOf(changes);
  const breaking = grouped.filter(({ change }) => change.breaks).length;
  const broken = grouped.filter((group) => group.change.mapping === "broken").length;
  const counts = [
    counted(grouped.length, "change"),
    `${breaking} that can break payloads`,
    ...(mapping === undefined ? [] : [`${broken} that ${broken === 1 ? "breaks" : "break"} ${mapping}`]),
  ];
  const [from, to] = [titleOf(old), titleOf(next)].map(({ title, version }) => plainText(`${title} ${version}`.trim()));
  return `${from === to ? from : `${from} -> ${to}`}: ${counts.join(", ")}`;
}

function titleOf({ title, version }: Contract): { readonly title: string; readonly version: string } {
  return { title, version };
}

function conditionOf({ conditions }: GroupedChange): readonly string[] {
  return conditions.length === 0 ? [] : [`when ${conditions.join(", or ")}`];
}
