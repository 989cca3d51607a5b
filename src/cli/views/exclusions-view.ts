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
    const parts = differingParts(exclusions);
    const rows = exclusions.map((each) => {
      const { key, at, who, reason } = each;
      return [key, ...parts.map((part) => each[part] ?? ""), at.slice(0, 10), who, reason];
    });
    return renderTable(rows, ["key", ...parts, "since", "by", "reason"], screen);
  },
  json: (exclusions) => indentedJson({ exclusions: exclusions.map(({ identity: _identity, ...shown }) => shown) }),
};

export const excludedRecordsView: View<ExcludedRecords> = {
  text: ({ excluded, excludedBefore, accepted, unsettled, unseen }) => {
    const parts = differingParts([...excluded, ...excludedBefore, ...accepted, ...unsettled]);
    const listed = (records: readonly RecordName[], what: string): readonly string[] =>
      listText([...new Set(records.map((record) => nameText(record, parts)))], what);
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

type NamePart = "operation" | "supplier";

/** Returns the parts of a record's name that are not the same for all records. */
function differingParts(records: readonly RecordName[]): readonly NamePart[] {
  const parts: readonly NamePart[] = ["operation", "supplier"];
  return parts.filter((part) => new Set(records.flatMap((record) => record[part] ?? [])).size > 1);
}

/** Names a record by its key and these parts. */
function nameText(record: RecordName, parts: readonly NamePart[]): string {
  const more = parts.flatMap((part) => record[part] ?? []);
  return more.length === 0 ? record.key : `${record.key} (${more.join(", ")})`;
}

export const endedExclusionsView: View<EndedExclusions> = {
  text: ({ ended, unknown }) => {
    const effect = ended.length === 0 ? "" : `: later pushes can send ${ended.length === 1 ? "it" : "them"}`;
    const summary = `${counted(ended.length, "record")} no longer excluded${effect}\n`;
    return [summary, ...listText(unknown, "was not excluded")].join("");
  },
};

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
