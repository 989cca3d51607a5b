import type {
  EndedExclusions,
  ExcludedRecords,
  ListedExclusion,
  RecordName,
} from "../../commands/ledger/exclude-records.ts";
import { indentedJson } from "../../terminal/safe-json.ts";
import { renderTable } from "../../terminal/text-table.ts";
import { counted, formatCount } from "../../text/count.ts";
import { plainText } from "../../text/plain-text.ts";
import type { View } from "./view.ts";

export const exclusionsView: View<readonly ListedExclusion[]> = {
  text: (exclusions, { screen }) => {
    if (exclusions.length === 0) return "No records are excluded\n";
    const several = hasSeveralOperations(exclusions);
    const columns = several ? ["key", "operation", "since", "by", "reason"] : ["key", "since", "by", "reason"];
    const rows = exclusions.map(({ key, operation = "", at, who, reason }) => {
      const decision = [at.slice(0, 10), who, reason];
      return several ? [key, operation, ...decision] : [key, ...decision];
    });
    return renderTable(rows, columns, screen);
  },
  json: (exclusions) => indentedJson({ exclusions: exclusions.map(({ identity: _identity, ...shown }) => shown) }),
};

export const excludedRecordsView: View<ExcludedRecords> = {
  text: ({ excluded, excludedBefore, accepted, unsettled, unseen }) => {
    const several = hasSeveralOperations([...excluded, ...excludedBefore, ...accepted, ...unsettled]);
    const listed = (records: readonly RecordName[], what: string): readonly string[] =>
      listText([...new Set(records.map((record) => nameText(record, several)))], what);
    return [
      `${counted(excluded.length, "record")} excluded from the migration${unseenText(unseen.length, excluded.length)}\n`,
      ...listed(excludedBefore, "already excluded"),
      ...listed(accepted, "not excluded: already on the platform"),
      ...listed(
        unsettled,
        "not excluded: a request may have been processed; find its run with `migrate open`, then run " +
          "`migrate resume <run>` or `migrate reconcile <run>`",
      ),
    ].join("");
  },
};

function hasSeveralOperations(records: readonly RecordName[]): boolean {
  return new Set(records.flatMap(({ operation }) => operation ?? [])).size > 1;
}

/** Names a record by its key, and by its operation if the command concerns several operations. */
function nameText({ key, operation }: RecordName, several: boolean): string {
  return several && operation !== undefined ? `${key} (${operation})` : key;
}

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
