import { createHash } from "node:crypto";
import { csvText, shownCell } from "../report/csv-text.ts";
import type { ReportFolder } from "../report/report-folder.ts";

/** A file of a proof. Its hash is recorded in `proof.json`. */
export interface HashedFile {
  readonly name: string;
  readonly write: (text: string) => Promise<void>;
  /** Hash of the written bytes, in hex. */
  readonly sha256: () => string;
}

export async function openHashedFile(folder: ReportFolder, name: string): Promise<HashedFile> {
  const file = await folder.create(name);
  const hash = createHash("sha256");
  return {
    name,
    write: async (text) => {
      hash.update(text);
      await file.write(text);
    },
    sha256: () => hash.copy().digest("hex"),
  };
}

/** A table of a proof, as CSV. Cells with data are escaped for safe display; decimal numbers are not changed. */
export interface ProofTable extends Omit<HashedFile, "write"> {
  readonly write: (rows: readonly (readonly (string | number | undefined)[])[]) => Promise<void>;
}

export async function openTable(folder: ReportFolder, name: string, columns: readonly string[]): Promise<ProofTable> {
  const file = await openHashedFile(folder, name);
  await file.write(csvText([columns]));
  return {
    ...file,
    write: (rows) => (rows.length === 0 ? Promise.resolve() : file.write(csvText(rows.map((row) => row.map(cellOf))))),
  };
}

function cellOf(value: string | number | undefined): string {
  if (value === undefined) return "";
  return typeof value === "number" || /^-?\d+(\.\d+)?$/.test(value) ? String(value) : shownCell(value);
}
