import { Failure } from "../model/failure.ts";
import { formatPlace } from "../model/place.ts";
import { counted, formatCount, plural } from "../text/count.ts";
import { shapeOf } from "../text/shape.ts";
import { CHANGE_WORDS, isSpreadsheetChange } from "./change-kind.ts";
import type { ChangedCells, CorrectionFindings, FoundRows } from "./correction-findings.ts";

/** Describes the changes to the rejects, one line each. Shows values only if requested. */
export function correctionText(findings: CorrectionFindings, showValues: boolean): readonly string[] {
  const { folder, exportedRows, returned, emptyRows, correctedCells, correctedRows, lostRecords } = findings;
  const cellText = (cells: ChangedCells): string => changedText(cells, showValues);
  return [
    `${folder}: ${counted(exportedRows, "row")} exported, ${formatCount(returned)} returned, ` +
      `${counted(correctedCells, "cell")} corrected${correctedCells === 0 ? "" : ` in ${counted(correctedRows, "row")}`}`,
    ...(emptyRows === 0 ? [] : [`${counted(emptyRows, "empty row")} ignored`]),
    ...findings.restored.map((keys) => `${counted(keys.count, "key")} restored: ${cellText(keys)}`),
    ...findings.keys.map((keys) => `${counted(keys.count, "key")} changed: ${cellText(keys)}`),
    ...findings.cells.map((cells) => `${counted(cells.count, "cell")} without errors changed: ${cellText(cells)}`),
    ...findings.added.map((rows) => `${counted(rows.count, "row")} added: source ${placeText(rows)}`),
    ...findings.lost.map(
      (rows) =>
        `${counted(rows.count, "row")} missing from records that are otherwise present: source ${placeText(rows)}`,
    ),
    ...findings.deleted.map((rows) => `${counted(rows.count, "row")} deleted: source ${placeText(rows)}`),
    ...(lostRecords === 0
      ? []
      : [`${counted(lostRecords, "record")} missing: not sent, and still in need of correction`]),
    ...findings.reordered.map((rows) => `${counted(rows.count, "row")} reordered: source ${placeText(rows)}`),
    ...findings.listOrder.map(listOrderText),
    ...findings.renamed.map(({ file, from, to }) => `${file}: column ${from} is now called ${to}`),
    ...findings.missingColumns.map(
      ({ file, columns }) => `${file}: ${plural(columns.length, "column")} ${columns.join(", ")} missing`,
    ),
    ...findings.newColumns.map(
      ({ file, columns }) => `${file}: new ${plural(columns.length, "column")} ${columns.join(", ")}`,
    ),
  ];
}

function changedText({ source, column, change, place, before, after }: ChangedCells, showValues: boolean): string {
  const shown = (value: string): string => (showValues ? JSON.stringify(value) : shapeOf(value));
  const from = before === undefined ? "" : `${shown(before)} -> `;
  const to = change === "emptied" ? "" : `, ${from}${shown(after)}`;
  return `source ${source}, column ${column}${to}, ${CHANGE_WORDS[change]} (first: ${formatPlace(place)})`;
}

function listOrderText(rows: FoundRows): string {
  const records = rows.count === 1 ? "its record" : "their record";
  const found = `${counted(rows.count, "row")} in a different order within ${records}`;
  return `${found} (the mapping has no \`orderBy\` for them): source ${placeText(rows)}`;
}

function placeText({ source, place, number }: FoundRows): string {
  if (place !== undefined) return `${source} (first: ${formatPlace(place)})`;
  return number === undefined ? source : `${source} (first: exported row ${formatCount(number)})`;
}

export interface AcceptedChanges {
  readonly restoreKeys: boolean;
  readonly acceptChanges: boolean;
  /** Whether the user confirms new keys that are almost identical to previous keys. */
  readonly newKeys?: boolean | undefined;
}

/**
 * Refuses changes that are not corrections, unless the user accepts these changes.
 * @param outcome the effect of the refusal on the command, such as "nothing was sent"
 * @throws Failure `rejects_changed`
 */
export function refuseUnexplained(findings: CorrectionFindings, accepted: AcceptedChanges, outcome: string): void {
  const { acceptChanges, newKeys } = accepted;
  const keys = findings.keys.filter(({ change }) => !(acceptChanges && (newKeys || !isSpreadsheetChange(change))));
  const what = [...amount(sum(keys), "key"), ...(acceptChanges ? [] : otherChanges(findings))];
  if (what.length === 0) return;
  throw new Failure(
    "rejects_changed",
    `the rejects contain changes that are not corrections: ${what.join(", ")}; ${outcome}`,
    { hint: remedies(keys, findings, accepted).join("\n") },
  );
}

function remedies(
  keys: readonly ChangedCells[],
  findings: CorrectionFindings,
  { restoreKeys, acceptChanges }: AcceptedChanges,
): readonly string[] {
  const hasOthers = !acceptChanges && otherChanges(findings).length > 0;
  const areKeysIntended = keys.some(({ change }) => !isSpreadsheetChange(change));
  const accepted = keys.length === 0 || areKeysIntended ? "the changes" : "the other changes";
  return [
    ...(keys.length > 0 && !restoreKeys ? ["--restore-keys restores the previous values of keys"] : []),
    ...(keys.length > 0 && restoreKeys ? ["keys whose original values are unknown must be corrected in the file"] : []),
    ...(hasOthers || areKeysIntended ? [`--accept-changes accepts ${accepted}`] : []),
    ...(keys.length > 0 && !areKeysIntended ? ["--accept-changes --new-keys accepts the changed keys"] : []),
    "next time, import all columns into the spreadsheet as text",
  ];
}

function otherChanges({
  cells,
  added,
  lost,
  listOrder,
  renamed,
  missingColumns,
}: CorrectionFindings): readonly string[] {
  return [
    ...amount(sum(cells), "cell"),
    ...amount(sum(added), "added row"),
    ...amount(sum(lost), "missing row"),
    ...amount(sum(listOrder), "reordered row"),
    ...amount(renamed.length, "renamed column"),
    ...amount(
      missingColumns.reduce((total, { columns }) => total + columns.length, 0),
      "missing column",
    ),
  ];
}

function sum(groups: readonly { readonly count: number }[]): number {
  return groups.reduce((total, { count }) => total + count, 0);
}

function amount(count: number, noun: string): readonly string[] {
  return count === 0 ? [] : [counted(count, noun)];
}
