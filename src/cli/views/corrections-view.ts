import type { AddedCorrections } from "../../commands/corrections/add-corrections.ts";
import type { NotKept } from "../../commands/corrections/keep-cells.ts";
import type { KeptCorrections } from "../../commands/corrections/keep-returned.ts";
import { formatPlace } from "../../model/place.ts";
import type { Correction } from "../../read/corrections/correction.ts";
import { indentedJson } from "../../terminal/safe-json.ts";
import { renderTable } from "../../terminal/text-table.ts";
import { counted, formatCount } from "../../text/count.ts";
import { plainText } from "../../text/plain-text.ts";
import { shapeOf } from "../../text/shape.ts";
import type { View, ViewOptions } from "./view.ts";

interface ShownCorrections {
  readonly file: string;
  readonly corrections: readonly Correction[];
}

export const correctionsView: View<ShownCorrections> = {
  text: ({ file, corrections }, options) =>
    corrections.length === 0
      ? `${plainText(file)}: no corrections\n`
      : renderTable(
          corrections.map((correction) => cellsOf(correction, options)),
          COLUMNS,
          options.screen,
        ),
  json: ({ corrections }, options) =>
    indentedJson({ corrections: corrections.map((correction) => shown(correction, options)) }),
};

export const addedCorrectionsView: View<AddedCorrections> = {
  text: ({ file, added, replaced }) =>
    `${counted(added.length, "correction")} added to ${plainText(file)}` +
    `${replaced === 0 ? "" : `, replacing ${counted(replaced, "earlier correction")}`}\n`,
  json: ({ file, added, replaced }) => indentedJson({ file, added: added.length, replaced }),
};

export const keptCorrectionsView: View<KeptCorrections> = {
  text: ({ file, added, replaced, removed, alreadyCorrected, notKept, addedRows, missingRows }) => {
    const counts = [
      `${counted(added, "correction")} added`,
      ...(replaced > 0 ? [`${formatCount(replaced)} replaced`] : []),
      ...(removed > 0 ? [`${formatCount(removed)} removed`] : []),
      ...(alreadyCorrected > 0 ? [`${counted(alreadyCorrected, "cell")} already corrected`] : []),
    ];
    const rows = [
      ...(addedRows > 0 ? [counted(addedRows, "added row")] : []),
      ...(missingRows > 0 ? [counted(missingRows, "missing row")] : []),
    ];
    return [
      `${plainText(file)}: ${counts.join(", ")}`,
      ...notKept.map(notKeptText),
      ...(rows.length > 0
        ? [`${rows.join(" and ")} not kept, because a correction can only change a cell in an existing row`]
        : []),
    ]
      .map((line) => `${line}\n`)
      .join("");
  },
  json: (kept) => {
    const notKept = kept.notKept.map(({ place: { file, line }, ...cells }) => ({ ...cells, place: { file, line } }));
    return indentedJson({ ...kept, notKept });
  },
};

function notKeptText({ source, column, obstacle, count, place }: NotKept): string {
  const cells = `${counted(count, "changed cell")} not kept: source ${source}, column ${plainText(column)}`;
  return `${cells}, ${OBSTACLES[obstacle]} (first: ${plainText(formatPlace(place))})`;
}

const OBSTACLES: Readonly<Record<NotKept["obstacle"], string>> = {
  changed: "the value in the sources has changed since the export",
  corrected: "an earlier correction gives the cell another value (`migrate corrections list`)",
  missing: "the sources do not contain the row",
  no_match: "the row has changed in the sources, or the sources contain only other rows with this key",
  no_column: "the sources do not contain the column",
  no_key: "the row has no key",
  repeated: "the sources contain the row more than once",
  unreadable: "the row has too few or too many cells",
  bad_cell: "the cell in the sources cannot be read, so correct the file",
  other_type: "a correction cannot change the type or number of JSON values",
};

export const removedCorrectionsView: View<ShownCorrections> = {
  text: ({ file, corrections }) => `${counted(corrections.length, "correction")} removed from ${plainText(file)}\n`,
  json: ({ file, corrections }) => indentedJson({ file, removed: corrections.length }),
};

const COLUMNS = ["source", "key", "column", "value", "by", "at", "reason"];

function cellsOf(correction: Correction, options: ViewOptions): readonly string[] {
  const { source, key, column, value, by, at, reason } = shown(correction, options);
  return [source, key, column, value, by, at.slice(0, 10), reason];
}

function shown(correction: Correction, { showValues }: ViewOptions): Correction {
  return showValues ? correction : { ...correction, value: shapeOf(correction.value) };
}
