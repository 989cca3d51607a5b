import type { AddedCorrections } from "../../commands/corrections/add-corrections.ts";
import type { Correction } from "../../read/corrections/correction.ts";
import { printableJson } from "../../terminal/safe-json.ts";
import { renderTable, type TableColumn } from "../../terminal/text-table.ts";
import { counted } from "../../text/count.ts";
import { plainText } from "../../text/plain-text.ts";
import { shapeOf } from "../../text/shape.ts";
import type { View, ViewOptions } from "./view.ts";

/** Corrections of a file. */
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
    `${printableJson({ corrections: corrections.map((correction) => shown(correction, options)) }, "indented")}\n`,
};

export const addedCorrectionsView: View<AddedCorrections> = {
  text: ({ file, added, replaced }) =>
    `${counted(added.length, "correction")} added to ${plainText(file)}` +
    `${replaced === 0 ? "" : `, replacing ${counted(replaced, "earlier one")}`}\n`,
  json: ({ file, added, replaced }) => `${printableJson({ file, added: added.length, replaced }, "indented")}\n`,
};

export const removedCorrectionsView: View<ShownCorrections> = {
  text: ({ file, corrections }) => `${counted(corrections.length, "correction")} removed from ${plainText(file)}\n`,
  json: ({ file, corrections }) => `${printableJson({ file, removed: corrections.length }, "indented")}\n`,
};

const COLUMNS: readonly TableColumn[] = [
  { title: "source" },
  { title: "key" },
  { title: "column" },
  { title: "value" },
  { title: "by" },
  { title: "at" },
  { title: "reason" },
];

function cellsOf(correction: Correction, options: ViewOptions): readonly string[] {
  const { source, key, column, value, by, at, reason } = shown(correction, options);
  return [source, key, column, value, by, at.slice(0, 10), reason];
}

function shown(correction: Correction, { showValues }: ViewOptions): Correction {
  return showValues ? correction : { ...correction, value: shapeOf(correction.value) };
}
