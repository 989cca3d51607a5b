import { open } from "node:fs/promises";
import { parseJson } from "../../json/parse-json.ts";
import { Failure } from "../../model/failure.ts";
import type { PackedFile } from "../text/file-bytes.ts";

type FileKind = "csv" | "json" | "ndjson";

export const GZIP_MAGIC: Uint8Array = Uint8Array.of(0x1f, 0x8b);

export function beginsWith(head: Uint8Array, magic: Uint8Array): boolean {
  return magic.every((byte, index) => head[index] === byte);
}

/**
 * Whether the file must be opened as a workbook (.xlsx, .xlsm), according to its name and content. The file may still
 * be corrupt.
 */
export function isWorkbook(file: string, head: Buffer): boolean {
  if (!isZip(head) || TEXT_NAME.test(file) || isOpenDocument(head)) return false;
  return WORKBOOK_NAME.test(file) || OFFICE_PARTS.some((part) => head.includes(part));
}

function isZip(head: Buffer): boolean {
  return beginsWith(head, Buffer.from("PK\x03\x04"));
}

function isOpenDocument(head: Buffer): boolean {
  return head.subarray(0, 200).includes("application/vnd.oasis.opendocument");
}

const WORKBOOK_NAME = /\.xls[xm]$/i;
const TEXT_NAME = /\.(csv|tsv|tab|txt|ndjson|jsonl|jsons|json)(\.gz)?$/i;
const OFFICE_PARTS = ["[Content_Types].xml", "_rels/.rels", "xl/"];

/**
 * Rejects a file that is not text, and a text file with the name of a workbook.
 * @param head the start of the unpacked file
 * @throws Failure `source_wrong_kind` with the detected format
 */
export async function refuseContainers(packed: PackedFile, head: Buffer): Promise<void> {
  const { file } = packed;
  const known = CONTAINERS.find(({ magic }) => beginsWith(head, Buffer.from(magic, "latin1")));
  if (known !== undefined) {
    const { what, advice } = await inspectContent(known.what, packed, head);
    const instead = what === WORKBOOK ? "CSV or JSON" : "CSV, JSON or .xlsx";
    throw new Failure("source_wrong_kind", `${file}: is ${what}, not ${instead}`, { hint: advice });
  }
  if (!WORKBOOK_NAME.test(file)) return;
  throw new Failure("source_wrong_kind", `${file}: has the name of an Excel workbook, but is not one`, {
    hint: "if it is text, rename it to .csv, .json or .ndjson",
  });
}

/** Inspects the content of an archive or a Microsoft Office file, so that the message can be more specific. */
async function inspectContent(
  what: string,
  { file, path, gzip }: PackedFile,
  head: Buffer,
): Promise<{ readonly what: string; readonly advice: string }> {
  if (what === OLD_OFFICE) {
    if (!gzip && (await isEncryptedPackage(path))) {
      return {
        what: "an Office file that is encrypted with a password",
        advice: "save it without a password, and use that file",
      };
    }
    return { what, advice: SAVE_AS_HINT };
  }
  if (!isZip(head)) return { what, advice: adviceFor(what) };
  if (isOpenDocument(head)) return { what: "an OpenDocument file (.ods)", advice: SAVE_AS_HINT };
  if (!/\.xls[xmb](\.gz)?$/i.test(file) && !head.includes("xl/")) return { what, advice: adviceFor(what) };
  const advice = gzip
    ? "decompress the .gz file first, because workbooks in .gz files are not supported"
    : "rename it to .xlsx, so that it is read as a workbook";
  return { what: WORKBOOK, advice };
}

const WORKBOOK = "an Excel workbook";
export const SAVE_AS_HINT =
  "in a spreadsheet program, save it as .xlsx, or its sheet as CSV UTF-8; then use the new file";

/**
 * Whether the file is a workbook with a password: a compound file whose directory contains `EncryptedPackage`. The
 * header contains the sector number of the directory ([MS-CFB] 2.2).
 */
async function isEncryptedPackage(path: string): Promise<boolean> {
  const handle = await open(path, "r");
  try {
    const header = Buffer.alloc(52);
    await handle.read(header, 0, header.length, 0);
    const sectorBytes = header.readUInt16LE(30) === 12 ? 4096 : 512;
    const directory = Buffer.alloc(4096);
    await handle.read(directory, 0, directory.length, (header.readUInt32LE(48) + 1) * sectorBytes);
    return directory.includes(Buffer.from("EncryptedPackage", "utf16le"));
  } finally {
    await handle.close();
  }
}

/**
 * Detects the kind of a file from its name and its first characters. If the name has no known extension (`extract.dat`,
 * stdin), uses only the first characters.
 * @throws Failure `source_wrong_kind` for HTML and XML, and if the name does not match the content
 */
export function fileKind(file: string, name: string, text: string): FileKind {
  const start = text.slice(0, HEAD_CHARACTERS).trimStart();
  if (/^<(!doctype\s+html|html|head|body)\b/i.test(start)) {
    throw new Failure("source_wrong_kind", `${file}: is an HTML page, not CSV, JSON or .xlsx`, {
      hint: "open it: it may be the login or error page of the site from which the extract was downloaded",
    });
  }
  if (start.startsWith("<?xml")) {
    throw new Failure("source_wrong_kind", `${file}: is XML, not CSV, JSON or .xlsx`, { hint: adviceFor("XML") });
  }
  const bare = name.replace(/\.gz$/i, "");
  if (/\.(csv|tsv|tab|txt)$/i.test(bare)) return asCsv(file, start);
  if (/\.(ndjson|jsonl|jsons)$/i.test(bare)) return "ndjson";
  if (/\.json$/i.test(bare)) return asJson(file, start);
  return kindByContent(start);
}

const HEAD_CHARACTERS = 65_536;

const OLD_OFFICE = "an old Excel or Word file (.xls, .doc)";

const CONTAINERS: readonly { readonly magic: string; readonly what: string }[] = [
  { magic: "PK\x03\x04", what: "a zip archive" },
  { magic: "PK\x05\x06", what: "an empty zip archive" },
  { magic: "\xd0\xcf\x11\xe0", what: OLD_OFFICE },
  { magic: "%PDF-", what: "a PDF" },
  { magic: "\x89PNG", what: "a PNG image" },
  { magic: "\xff\xd8\xff", what: "a JPEG image" },
  { magic: "GIF8", what: "a GIF image" },
  { magic: "SQLite format 3\0", what: "a SQLite database" },
  { magic: "BZh", what: "a bzip2 archive" },
  { magic: "\xfd7zXZ\0", what: "an xz archive" },
  { magic: "\x28\xb5\x2f\xfd", what: "a zstd archive" },
  { magic: "7z\xbc\xaf\x27\x1c", what: "a 7-Zip archive" },
  { magic: "\x1f\x8b", what: "a gzip file inside a gzip file" },
  { magic: "PAR1", what: "a Parquet file" },
  { magic: "Rar!", what: "a RAR archive" },
  { magic: "\x7fELF", what: "a program" },
];

function adviceFor(what: string): string {
  if (what.includes("archive") || what.includes("gzip"))
    return "unpack it first; only .gz files are unpacked automatically";
  return "provide the extract as CSV, JSON, NDJSON or .xlsx";
}

/** Rejects a file that looks like JSON, because a CSV header rarely starts with a bracket. */
function asCsv(file: string, start: string): FileKind {
  if (looksLikeJson(start)) {
    throw new Failure("source_wrong_kind", `${file}: contains JSON, but its extension means CSV`, {
      hint: "rename it to .json (one array or object) or .ndjson (one object per line)",
    });
  }
  return "csv";
}

function asJson(file: string, start: string): FileKind {
  if (start === "" || start.startsWith("[") || start.startsWith("{")) return "json";
  throw new Failure("source_wrong_kind", `${file}:1: JSON must begin with [ or {, but this file does not`, {
    hint: "if it is CSV, rename it to .csv: the extension determines the format",
    place: { file, line: 1 },
  });
}

function looksLikeJson(start: string): boolean {
  return /^(\{\s*["}]|\[\s*[[{"\]\d])/.test(start);
}

function kindByContent(start: string): FileKind {
  if (!looksLikeJson(start)) return "csv";
  if (start.startsWith("[")) return "json";
  const [first = "", ...rest] = start.split("\n");
  return parseJson(first) !== undefined && rest.some((line) => line.trim() !== "") ? "ndjson" : "json";
}
