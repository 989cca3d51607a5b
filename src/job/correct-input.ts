import type { Mapping } from "../map/mapping.ts";
import { parsePointer } from "../json/json-pointer.ts";
import { formatPlace } from "../model/place.ts";
import { isCsvRow, type Row } from "../model/record.ts";
import type { SourceSpec } from "../model/source-spec.ts";
import {
  type CorrectionResult,
  type Corrector,
  type CorrectorOptions,
  createCorrector,
} from "../read/corrections/apply-corrections.ts";
import { incompleteLineText, type LinesEnd, readCorrections } from "../read/corrections/corrections-file.ts";
import { counted, formatCount } from "../text/count.ts";
import { plainText } from "../text/plain-text.ts";

interface CorrectedSources {
  readonly plan: SourceSpec;
  readonly mapping: Mapping;
}

/**
 * Opens the corrections that are applied while sources are read.
 * @param from the path from which the file is read; differs from the file's own path if a copy is read
 * @throws Failure `config` for an invalid corrections file
 */
export async function openCorrections(
  file: string,
  from: string,
  sources: CorrectedSources,
): Promise<Corrector & LinesEnd> {
  const { corrections, ...end } = await readCorrections(file, from);
  return { ...createCorrector(corrections, correctorOptions(file, sources)), ...end };
}

export function correctorOptions(file: string, { plan, mapping }: CorrectedSources): CorrectorOptions {
  return { file, plan, keyColumn: keyColumnIn(mapping) };
}

/** Returns a function that finds the column or path of the business key in a row of the root source. */
export function keyColumnIn({ keyAttr, locate }: Mapping): (row: Row) => string | undefined {
  return (row) => {
    const place = keyAttr === undefined ? undefined : locate(row, keyAttr);
    if (isCsvRow(row)) return place?.column;
    const path = place?.pointer?.slice(row.pointer.length);
    return path === undefined || path === "" ? undefined : parsePointer(path).join(".");
  };
}

/** Maximum number of outdated corrections that the notices list. */
const LISTED = 10;

/**
 * Returns notices about the results: one line of counts, then one line for each of the first outdated corrections (at
 * most `LISTED`), the number of other outdated corrections, and a notice about an incomplete line. The lines do not
 * contain the name of the corrections file.
 */
export function correctionNotices(
  results: Iterable<CorrectionResult>,
  { incompleteLine }: LinesEnd,
): readonly string[] {
  const count = { applied: 0, corrected: 0, outdated: 0, unused: 0 };
  const listed: CorrectionResult[] = [];
  for (const result of results) {
    count[result.state] += 1;
    if (result.state === "outdated" && listed.length < LISTED) listed.push(result);
  }
  const counts = [
    `${counted(count.applied, "cell")} corrected`,
    ...(count.corrected > 0 ? [`${formatCount(count.corrected)} already correct`] : []),
    ...(count.unused > 0 ? [`${counted(count.unused, "correction")} without a row in this input`] : []),
    ...(count.outdated > 0 ? [`${formatCount(count.outdated)} not applied`] : []),
  ];
  const unlisted = count.outdated - LISTED;
  return [
    counts.join(", "),
    ...listed.map(({ correction: { line, key, column, rowSha256 }, place }) => {
      const cell = `column ${column} of ${plainText(key)}${place === undefined ? "" : ` (${formatPlace(place)})`}`;
      const changed = rowSha256 === undefined ? cell : `${cell}, another cell of the row, or the order of the columns`;
      return `line ${line} is not applied, because ${changed} has changed since the correction was made`;
    }),
    ...(unlisted > 0 ? [`${formatCount(unlisted)} more ${unlisted === 1 ? "is" : "are"} not applied`] : []),
    ...(incompleteLine === undefined ? [] : [incompleteLineText(incompleteLine)]),
  ];
}
