import type { FoundRows, RowFindings } from "./correction-findings.ts";
import type { CorrectionIndex } from "./correction-index.ts";

/** Finds added, removed and reordered rows, after all re-imported rows have been matched. */
export function findRowChanges(index: CorrectionIndex): RowFindings {
  const { rows } = index;
  const count = (sql: string): number => Number(rows(sql)[0]?.["count"] ?? 0);
  const added = count("select count(*) as count from added");
  return {
    exportedRows: count("select count(*) as count from exported"),
    returned: count("select count(*) as count from exported where file is not null") + added,
    added: rows(ADDED).map(({ source, count: found, file, line }) => ({
      source: String(source),
      count: Number(found),
      place: { file: String(file), line: Number(line) },
    })),
    lost: rows(`${LOST} and marks not like '%d%' and record in (${RECORDS_LEFT}) group by source order by source`).map(
      numbered,
    ),
    deleted: rows(
      `${LOST} and (marks like '%d%' or record not in (${RECORDS_LEFT})) group by source order by source`,
    ).map(numbered),
    lostRecords: count(
      `select count(distinct record) as count from exported
       where record not in (${RECORDS_LEFT}) and marks not like '%r%' and key not in (${KEYS_LEFT})`,
    ),
    reordered: reorderedRows(index),
  };
}

/** With `min(line)`, SQLite returns `file` from the same row as the minimum line. */
const ADDED = "select source, count(*) as count, file, min(line) as line from added group by source order by source";
const LOST = "select source, count(*) as count, min(number) + 1 as number from exported where file is null";
const RECORDS_LEFT = "select record from exported where file is not null";
/** The keys of re-imported rows. If several records have the same key, a correction may remove all but one of them. */
const KEYS_LEFT = "select key from exported where file is not null and key <> ''";

function numbered(found: Readonly<Record<string, unknown>>): FoundRows {
  const { source, count, number } = found;
  return { source: String(source), count: Number(count), number: Number(number) };
}

/** Returns the rows that now follow a row that they preceded in the export. Equal rows are interchangeable. */
function reorderedRows({ each }: CorrectionIndex): readonly FoundRows[] {
  const found = rowsBehind(each(`${MATCHED} order by source, file, line`));
  return found.length === 0 ? found : rowsBehind(each(EQUAL_ROWS_IN_ORDER));
}

const MATCHED = "select source, number, file, line, content from exported where file is not null";
/** The matched rows by place. Equal rows are in the order of the export. */
const EQUAL_ROWS_IN_ORDER = `
  with matched as (${MATCHED})
  select source, number, file, line from
    (select source, content, file, line, row_number() over (partition by source, content order by file, line) as position
     from matched)
  join
    (select source, content, number, row_number() over (partition by source, content order by number) as position
     from matched)
  using (source, content, position) order by source, file, line`;

function rowsBehind(rows: Iterable<Readonly<Record<string, unknown>>>): readonly FoundRows[] {
  const found = new Map<string, FoundRows>();
  let last = { source: "", number: -1 };
  for (const row of rows) {
    const [source, number] = [String(row["source"]), Number(row["number"])];
    if (source !== last.source || number > last.number) {
      last = { source, number };
      continue;
    }
    const before = found.get(source);
    const place = before?.place ?? { file: String(row["file"]), line: Number(row["line"]) };
    found.set(source, { source, count: (before?.count ?? 0) + 1, place });
  }
  return [...found.values()];
}
