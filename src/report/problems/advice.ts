import type { LocalFinding, Problem } from "../../model/problem.ts";

/** Returns advice, in one or two sentences, on how the data owner can correct a problem. Does not mention the value. */
export function adviceFor(problem: Problem): string {
  const { code, by } = problem;
  if (code === "unique" && by === "local" && !("acceptedAt" in problem)) return "Remove or correct the repeated item.";
  const advice: Readonly<Record<string, string>> = ADVICE;
  if (Object.hasOwn(advice, code)) return advice[code] ?? "";
  return by === "platform"
    ? "Correct the cells as the platform's message says, then ask for the rows to be sent again."
    : "Correct the listed fields so that they are consistent.";
}

const CORRECT_OR_ASK =
  "Correct the cells. If all of them use the same unexpected format, tell the migration team: the mapping can convert it.";
const SHORTEN = "Shorten the text in the source.";
const AMOUNT = "Correct the amount. The usual cause is a misplaced decimal point or a different unit.";
const EXPORT_AGAIN = "Export the file again. If the error remains, show the line to the migration team.";

const ADVICE: { readonly [C in LocalFinding["code"]]: string } = {
  required: "Fill in the cell. If the old system does not know the value, ask the migration team for a default.",
  null: "Enter a value, or remove the field.",
  blank: "Fill in the cell.",
  invalid: CORRECT_OR_ASK,
  invalid_choice:
    "Use one of the listed values. If the cells contain codes from the old system, tell the migration team what each code means, so that the mapping can translate the codes.",
  schema_mismatch: "Show one of the rows to the migration team: its fields are not valid in this combination.",
  max_length: `${SHORTEN} If a cell contains several values, ask the migration team to split them.`,
  min_length: "Complete the value. It may have been cut off, or rows of the record may be missing.",
  max_value: AMOUNT,
  min_value: AMOUNT,
  max_digits: AMOUNT,
  max_decimal_places: "Round the amount in the source.",
  max_whole_digits: AMOUNT,
  not_a_list: "Export the source with a list here, even for a single value.",
  not_a_dict: EXPORT_AGAIN,
  empty: "Add the missing rows of this record, or find out why the other file has none.",
  null_characters_not_allowed: "Remove the invisible character. The safest way is to retype the text.",
  surrogate_characters_not_allowed: "Retype the text, because it contains half a character.",
  unique:
    "Check which of the two versions is correct. If the new one is, ask the migration team to send it as a change.",
  corrected_since:
    "Nothing to do: the corrected version is on the platform. If the old system must match, correct the data there too.",
  changed_since_export:
    "Check that this row is still right: the old system has changed the record since the row was exported. Show this to the migration team.",
  account_not_found:
    "First correct the account that this record belongs to. Once that account is accepted, the next push sends this record.",
  circular_dependency: "Correct the reference, because the record waits for itself, directly or through other records.",
  unknown_field: "Nothing to correct in the data. Show this to the migration team.",
  read_only: "Nothing to correct in the data. Show this to the migration team.",
  duplicate_key: "Delete the wrong row. If the contents differ, decide which row is correct.",
  near_duplicate_key: "Check whether these are two accounts, or one account whose number is written in two ways.",
  near_known_key:
    "Restore the original number of the record. A spreadsheet program may have changed it when saving the file.",
  damaged_key:
    "Restore the number of the record from the old system. A spreadsheet program changed it when saving the file.",
  row_sent_under_other_key: "Nothing to correct in the data. Show this to the migration team.",
  key_differs_from_reject: "Restore the original number of the record, which is in the column migrate_key.",
  stale:
    "If a newer extract contains the record, there is nothing to correct. Otherwise, show this to the migration team.",
  unsafe_document_path: "Enter the path of the document relative to the agreed folder, such as bills/2026/17.pdf.",
  path_does_not_exist_in_file_store: "Copy the document to this path, or correct the path. Paths are case-sensitive.",
  coerced: "The record is still sent. Write the value in the expected format so that the platform does not change it.",
  source_ragged_row: "Look for a comma or a line break inside a cell: such a cell must be in quotation marks.",
  source_truncated_row: "Ask for the file again, because its end may be missing.",
  source_stray_quote: "Put quotation marks around the whole cell, and double any quotation marks inside it.",
  source_repeated_header: "Delete the row: it contains the names of the columns instead of data.",
  source_control_character: EXPORT_AGAIN,
  source_invalid_json: EXPORT_AGAIN,
  source_not_an_object: EXPORT_AGAIN,
  source_duplicate_name: EXPORT_AGAIN,
  source_forbidden_name: EXPORT_AGAIN,
  source_unsafe_number: "Export the number as text, in quotation marks. Otherwise it loses digits.",
  source_lone_surrogate: "Retype the text, because it contains half a character.",
  source_bad_cell:
    "Fix the formula, or open the workbook in a spreadsheet program and save it again. If the workbook cannot store a date, write the date as text.",
  source_rounded_number: "Show more decimal places if the hidden digits matter.",
  source_too_deep: EXPORT_AGAIN,
  source_record_too_large: "Remove content that does not belong in a cell, such as a whole document.",
  source_missing_key: "Fill in the number that identifies the row, or delete the row if it contains totals.",
  source_orphan_row:
    "Add the record that this row belongs to, or correct the number that joins the two. Leading zeros are significant.",
  source_missing_row:
    "Add the row that this row refers to, or correct the number that refers to it. Leading zeros are significant.",
  source_duplicate_key: "Delete the wrong row, or correct its number.",
  source_repeated_row: "The record is still sent, with both rows. Delete one of them if it is a mistake.",
  source_unselected_row:
    "The record is still sent, without this row. Correct the cell, or add its value to a `when` of the mapping.",
  source_bad_order: "Correct the cell, because it determines the order of the rows.",
  source_bad_as_of: "Correct the cell. It must contain a valid date, which shows how recent the row is.",
  source_child_left_out: "The number that joins the two files must have the same format in both.",
};
