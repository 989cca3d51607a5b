import { posix } from "node:path";
import { Failure } from "../../model/failure.ts";
import { SAVE_AS_HINT } from "../input/file-kind.ts";
import { readWholeXml, type XmlAttributes } from "./xml-reader.ts";
import { corruptPackage, type ZipPackage, type ZipSource } from "./zip-package.ts";

/**
 * The description of a workbook: its sheets in order, and the names of the parts that contain the data shared by the
 * sheets.
 */
export interface WorkbookParts {
  readonly sheets: readonly Sheet[];
  /** Whether dates are counted from 1904, as in old versions of Excel for Mac. */
  readonly from1904: boolean;
  readonly styles: string | undefined;
  readonly sharedStrings: string | undefined;
}

export interface Sheet {
  readonly name: string;
  readonly isHidden: boolean;
  /** The name of the part that contains the cells. */
  readonly part: string;
}

/**
 * Reads the description of a workbook.
 * @throws Failure `source_wrong_kind` for a package that is not a supported workbook
 */
export async function readWorkbookParts(source: ZipSource, zip: ZipPackage): Promise<WorkbookParts> {
  const root = (await relationships(source, zip, "")).find(({ type }) => type === "officeDocument");
  if (zip.has("xl/workbook.bin")) throw otherKind(source, "is a binary workbook (.xlsb), which is not supported");
  if (root === undefined) throw otherKind(source, "is not a workbook");
  if (!zip.has(root.part)) throw corruptPackage(source.file, `${root.part} is missing`);
  const related = await relationships(source, zip, root.part);
  const listed: { name: string; id: string; state: string }[] = [];
  let from1904 = false;
  let isWorkbook = false;
  await readWholeXml(
    { source, zip, part: root.part },
    {
      open: (name, attributes) => {
        isWorkbook ||= name === "workbook";
        if (name === "workbookPr") from1904 ||= isTrue(attributes["date1904"]);
        if (name !== "sheet") return;
        const id = Object.entries(attributes).find(([key]) => key.endsWith(":id"))?.[1] ?? "";
        listed.push({ name: attributes["name"] ?? "", id, state: attributes["state"] ?? "visible" });
      },
    },
  );
  if (!isWorkbook) throw otherKind(source, "is not a workbook");
  const partOf = (type: string): string | undefined => related.find((one) => one.type === type)?.part;
  const sheets = listed.flatMap(({ name, id, state }): readonly Sheet[] => {
    const found = related.find((one) => one.id === id && one.type === "worksheet");
    return found === undefined ? [] : [{ name, isHidden: state !== "visible", part: found.part }];
  });
  return { sheets, from1904, styles: partOf("styles"), sharedStrings: partOf("sharedStrings") };
}

/** Returns the numbers of the rows in which tables of a sheet show totals. */
export async function totalsRows(source: ZipSource, zip: ZipPackage, sheet: Sheet): Promise<readonly number[]> {
  const rows: number[] = [];
  for (const { type, part } of await relationships(source, zip, sheet.part)) {
    if (type !== "table" || !zip.has(part)) continue;
    const open = (name: string, { ref = "", totalsRowCount = "0" }: XmlAttributes): void => {
      if (name === "table" && totalsRowCount !== "0") rows.push(Number(/\d+$/.exec(ref)?.[0]));
    };
    await readWholeXml({ source, zip, part }, { open });
  }
  return rows;
}

function otherKind({ file }: ZipSource, what: string): Failure {
  return new Failure("source_wrong_kind", `${file}: ${what}`, {
    hint: SAVE_AS_HINT,
  });
}

/** Whether a Boolean attribute is true. The file format allows `1`, `true` and `on`. */
export function isTrue(value: string | undefined): boolean {
  return value === "1" || value === "true" || value === "on";
}

interface Relationship {
  readonly id: string;
  /** The last segment of the type URI, which is the same in the strict and the transitional variant of the format. */
  readonly type: string;
  readonly part: string;
}

/** Reads the references of a part to other parts of the package. Omits external references, which are never opened. */
async function relationships(source: ZipSource, zip: ZipPackage, owner: string): Promise<readonly Relationship[]> {
  const folder = posix.dirname(owner);
  const part = posix.join(folder, "_rels", `${posix.basename(owner)}.rels`);
  const found: Relationship[] = [];
  if (!zip.has(part)) return found;
  await readWholeXml(
    { source, zip, part },
    {
      open: (name, { Id = "", Type = "", Target = "", TargetMode }) => {
        if (name !== "Relationship" || TargetMode === "External") return;
        const target = posix.normalize(Target.startsWith("/") ? Target.slice(1) : posix.join(folder, Target));
        found.push({ id: Id, type: Type.slice(Type.lastIndexOf("/") + 1), part: target });
      },
    },
  );
  return found;
}
