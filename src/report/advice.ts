import type { LocalFinding, Problem } from "../model/problem.ts";

/** What the owner of the data can do about a problem, in a sentence or two. Says nothing of the value. */
export function adviceFor({ code, by }: Problem): string {
  const advice: Readonly<Record<string, string>> = ADVICE;
  if (Object.hasOwn(advice, code)) return advice[code] ?? "";
  return by === "platform"
    ? "Correct the cells as the platform asks, and have the rows sent again."
    : "Correct the fields that it is about, so that they agree with each other.";
}

const CORRECT_OR_ASK =
  "Correct the cells. If all of them are written in one other way, tell the migration team: the mapping can be taught to read it.";
const SHORTEN = "Shorten the text in the source.";
const AMOUNT = "Correct the amount. A shifted decimal point or another unit is the usual reason.";
const EXPORT_AGAIN = "Have the file exported again. If it stays like this, show the migration team the line.";

const ADVICE: { readonly [C in LocalFinding["code"]]: string } = {
  required: "Fill in the cell. If the old system does not know the value, ask the migration team for a default.",
  null: "Give a value, or leave the field out.",
  blank: "Fill in the cell.",
  invalid: CORRECT_OR_ASK,
  invalid_choice:
    "Use one of the values that are listed. If these are codes of the old system, tell the migration team what each of them means: the mapping can translate them.",
  schema_mismatch: "Show the migration team one of the rows: fields of it do not go together.",
  max_length: `${SHORTEN} If several values stand in one cell, ask for them to be split.`,
  min_length: "Complete the value. It may have been cut off, or rows that belong to the record may be missing.",
  max_value: AMOUNT,
  min_value: AMOUNT,
  max_digits: AMOUNT,
  max_decimal_places: "Round the amount in the source.",
  max_whole_digits: AMOUNT,
  not_a_list: "Have the source exported with a list here, even for one value.",
  not_a_dict: EXPORT_AGAIN,
  empty: "Add the rows that belong to this record, or find out why the other file has none for it.",
  null_characters_not_allowed: "Remove the character that cannot be seen. Typing the text anew is the surest way.",
  surrogate_characters_not_allowed: "Type the text anew: a character in it was cut in two.",
  unique:
    "Check which of the two versions is right. If it is the new one, ask the migration team to send it as a change.",
  corrected_since:
    "Nothing to do: the corrected version is on the platform. Correct the old system as well, if it is to agree.",
  account_not_found:
    "First see to the account that it belongs to. Once that is accepted, this record follows by itself.",
  circular_dependency:
    "Correct the reference to the other record: this record and the one that it belongs to each wait for the other.",
  unknown_field: "Nothing to correct in the data: show this to the migration team.",
  read_only: "Nothing to correct in the data: show this to the migration team.",
  duplicate_key: "Delete the row that is not meant. Where the contents differ, only you can tell which one is right.",
  near_duplicate_key: "Check whether these are two accounts, or one whose number was written in two ways.",
  near_known_key: "Restore the record's old number: a spreadsheet may have changed it when it saved the file.",
  damaged_key: "Restore the record's number from the old system: a spreadsheet changed it when it saved the file.",
  row_sent_under_other_key: "Nothing to correct in the data: show this to the migration team.",
  key_differs_from_reject: "Restore the record's number: the column migrate_key has the old one.",
  unsafe_document_path: "Give the path of the document as it lies below the agreed folder, such as bills/2026/17.pdf.",
  path_does_not_exist_in_file_store: "Copy the document to where the path says, or correct the path. Capitals count.",
  coerced:
    "The record is sent all the same. Write the value in the form that is asked for, so that nothing is changed on the way.",
  source_ragged_row: "Look for a comma or a line break inside a text: the cell needs quotation marks around it.",
  source_truncated_row: "Have the file sent again: its end is missing.",
  source_stray_quote: "Put quotation marks around the whole cell, and double those inside it.",
  source_control_character: EXPORT_AGAIN,
  source_invalid_json: EXPORT_AGAIN,
  source_not_an_object: EXPORT_AGAIN,
  source_duplicate_name: EXPORT_AGAIN,
  source_forbidden_name: EXPORT_AGAIN,
  source_unsafe_number: "Have the number exported as text, in quotation marks: it would lose digits.",
  source_lone_surrogate: "Type the text anew: a character in it was cut in two.",
  source_bad_cell: "Mend the formula, or open the workbook in a spreadsheet program and save it again.",
  source_rounded_number: "Show more decimal places, if the digits behind them matter.",
  source_too_deep: EXPORT_AGAIN,
  source_record_too_large: "Take what does not belong into a cell, such as a whole document, out of the record.",
  source_missing_key: "Fill in the number that the row is known by, or delete the row if it is a line of totals.",
  source_orphan_row:
    "Add the record that this row belongs to, or correct the number that joins the two. Zeros at the front count.",
  source_missing_row:
    "Add the row that this one refers to, or correct the number that names it. Zeros at the front count.",
  source_duplicate_key: "Delete the row that is not meant, or give it the number that it should have.",
  source_repeated_row:
    "The record is sent all the same, with both rows. Delete one of them if it stands there by mistake.",
  source_bad_order: "Correct the cell: rows are put in order by it, and nobody can tell where this one belongs.",
  source_child_left_out: "Write the number that joins the two files in the same way in both.",
};
