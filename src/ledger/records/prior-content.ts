/**
 * SQL condition: a request of the record had no clear reply. The condition remains true after a decision that the
 * record may be sent again.
 */
const IS_UNCLEAR = "(records.state = 'ambiguous' or records.resends > 0)";

/** SQL condition: a request of the record without a clear reply may have had different content from the item. */
const IS_OTHER_UNCLEAR = `(records.state = 'ambiguous'
    and (coalesce(records.other_content, 0) = 1 or records.attempts = 0 or records.content <> items.content))`;

/**
 * SQL expression for `PriorContent`, from `records` and `items`. An uncertain recovery makes records without a request
 * ambiguous. Nothing is known about the content of such records on the platform.
 */
export const PRIOR_CONTENT: string = `case
    when records.accepted_content <> ''::bytea and records.accepted_content <> items.content
      and not ${IS_OTHER_UNCLEAR} then 'accepted'
    when records.other_content = 1 or records.accepted_content = ''::bytea
      or ${IS_UNCLEAR} and (records.attempts = 0 or records.content <> items.content) then 'other'
    when ${IS_UNCLEAR} or records.accepted_content is not null then 'same'
    else 'none' end`;

/**
 * Returns SQL for the value of `other_content` after a new request. Once requests with different contents may have been
 * processed, no reply can show which content the platform has.
 */
export function otherContentAfter(known: string): string {
  const unclear = IS_UNCLEAR.replaceAll("records", known);
  return `case when ${unclear} and (${known}.attempts = 0 or ${known}.content <> excluded.content) then 1
    else ${known}.other_content end`;
}

/** SQL for `mayHoldOther` of an ambiguous or existing record. */
export const MAY_HOLD_OTHER: string = `(coalesce(records.other_content, 0) = 1 or records.attempts = 0
    or coalesce(records.accepted_content, records.content) <> records.content)`;

/** SQL query: returns a row if a recovery may have missed requests. */
export const ANY_UNCERTAIN = {
  sqlite: `select 1 as found from ledger_state cross join json_each(ledger_state.recoveries)
      where json_extract(value, '$.isUncertain') limit 1`,
  postgres: "select 1 as found from migrate.recoveries where uncertain limit 1",
} as const;

/**
 * SQL for `other_content` of a record that is new to the ledger. After an uncertain recovery, a missing request may
 * have had other content.
 */
export const NEW_OTHER_CONTENT: { readonly sqlite: string; readonly postgres: string } = {
  sqlite: `exists (${ANY_UNCERTAIN.sqlite})`,
  postgres: `exists (${ANY_UNCERTAIN.postgres})::int`,
};
