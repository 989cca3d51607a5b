import type { EndedExclusions, ExcludedKeys } from "../../commands/ledger/exclude-records.ts";
import type { Exclusion } from "../../ledger/records/exclusions.ts";
import { indentedJson } from "../../terminal/safe-json.ts";
import { renderTable } from "../../terminal/text-table.ts";
import { counted, formatCount } from "../../text/count.ts";
import { plainText } from "../../text/plain-text.ts";
import type { View } from "./view.ts";

export const exclusionsView: View<readonly Exclusion[]> = {
  text: (exclusions, { screen }) =>
    exclusions.length === 0
      ? "No records are excluded\n"
      : renderTable(
          exclusions.map(({ key, at, who, reason }) => [key, at.slice(0, 10), who, reason]),
          COLUMNS,
          screen,
        ),
  json: (exclusions) => indentedJson({ exclusions: exclusions.map(({ identity: _identity, ...shown }) => shown) }),
};

const COLUMNS = ["key", "since", "by", "reason"];

export const excludedKeysView: View<ExcludedKeys> = {
  text: ({ excluded, excludedBefore, accepted, unsettled, unseen }) =>
    [
      `${counted(excluded.length, "record")} excluded from the migration${unseenText(unseen.length, excluded.length)}\n`,
      ...listText(excludedBefore, "already excluded"),
      ...listText(accepted, "not excluded: already on the platform"),
      ...listText(
        unsettled,
        "not excluded: a request may have been processed; find its run with `migrate open`, then run " +
          "`migrate resume <run>` or `migrate reconcile <run>`",
      ),
    ].join(""),
};

export const endedExclusionsView: View<EndedExclusions> = {
  text: ({ ended, unknown }) =>
    [
      `${counted(ended.length, "record")} no longer excluded${endedText(ended.length)}\n`,
      ...listText(unknown, "not excluded before"),
    ].join(""),
};

function endedText(ended: number): string {
  if (ended === 0) return "";
  return `: later pushes can send ${ended === 1 ? "it" : "them"}`;
}

function unseenText(unseen: number, excluded: number): string {
  if (unseen === 0) return "";
  const records = unseen < excluded ? `${formatCount(unseen)} of them` : excluded === 1 ? "it" : "them";
  return `; no push has included ${records} so far`;
}

const LISTED = 20;

function listText(keys: readonly string[], what: string): readonly string[] {
  const more = keys.length > LISTED ? [`  and ${formatCount(keys.length - LISTED)} more ${what}\n`] : [];
  return [...keys.slice(0, LISTED).map((key) => `  ${plainText(key)}  ${what}\n`), ...more];
}
