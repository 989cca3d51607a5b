import { Failure } from "../model/failure.ts";

/** How the records of a file are written down. */
export type FileKind = "csv" | "json" | "ndjson";

export const GZIP_MAGIC: Uint8Array = Uint8Array.of(0x1f, 0x8b);

/** True when `head` begins with `magic`. */
export function beginsWith(head: Uint8Array, magic: Uint8Array): boolean {
  return magic.every((byte, index) => head[index] === byte);
}

/**
 * Refuses a file whose first bytes say that it holds something other than text (`source_wrong_kind`, named).
 * `head` is the beginning of the unpacked file.
 */
export function refuseContainers(file: string, head: Buffer): void {
  const known = CONTAINERS.find(({ magic }) => beginsWith(head, Buffer.from(magic, "latin1")));
  if (known === undefined) return;
  const workbook = known.what === "a zip archive" && (/\.xls[xmb]$/i.test(file) || head.includes("xl/"));
  const what = workbook ? "an Excel workbook" : known.what;
  throw new Failure("source_wrong_kind", `${file}: is ${what}, not CSV or JSON`, { hint: adviceFor(what) });
}

/**
 * The kind of a file, by its name and by what it begins with. Names that promise one kind and hold another are
 * refused (`source_wrong_kind`); other names (`extract.dat`, stdin) go by content alone.
 */
export function fileKind(file: string, name: string, text: string): FileKind {
  const start = text.slice(0, HEAD_CHARACTERS).trimStart();
  if (/^<(!doctype\s+html|html|head|body)\b/i.test(start)) {
    throw new Failure("source_wrong_kind", `${file}: is an HTML page, not CSV or JSON`, {
      hint: "look into it: it may be the login or error page of the site that the extract was downloaded from",
    });
  }
  if (start.startsWith("<?xml")) {
    throw new Failure("source_wrong_kind", `${file}: is XML, not CSV or JSON`, { hint: adviceFor("XML") });
  }
  const bare = name.replace(/\.gz$/i, "");
  if (/\.(csv|tsv|tab|txt)$/i.test(bare)) return asCsv(file, start);
  if (/\.(ndjson|jsonl|jsons)$/i.test(bare)) return "ndjson";
  if (/\.json$/i.test(bare)) return asJson(file, start);
  return kindByContent(start);
}

const HEAD_CHARACTERS = 65_536;

const CONTAINERS: readonly { readonly magic: string; readonly what: string }[] = [
  { magic: "PK\x03\x04", what: "a zip archive" },
  { magic: "PK\x05\x06", what: "an empty zip archive" },
  { magic: "\xd0\xcf\x11\xe0", what: "an old Excel or Word file" },
  { magic: "%PDF-", what: "a PDF" },
  { magic: "\x89PNG", what: "a PNG picture" },
  { magic: "\xff\xd8\xff", what: "a JPEG picture" },
  { magic: "GIF8", what: "a GIF picture" },
  { magic: "SQLite format 3\0", what: "an SQLite database" },
  { magic: "BZh", what: "a bzip2 archive" },
  { magic: "\xfd7zXZ\0", what: "an xz archive" },
  { magic: "\x28\xb5\x2f\xfd", what: "a zstd archive" },
  { magic: "7z\xbc\xaf\x27\x1c", what: "a 7-Zip archive" },
  { magic: "\x1f\x8b", what: "gzip inside gzip" },
  { magic: "PAR1", what: "a Parquet file" },
  { magic: "Rar!", what: "a RAR archive" },
  { magic: "\x7fELF", what: "a program" },
];

function adviceFor(what: string): string {
  if (what.includes("Excel")) return "save the sheet as CSV UTF-8, and give that file";
  if (what.includes("archive") || what.includes("gzip")) return "unpack it first; only .gz is read through";
  return "give the extract as CSV, JSON or NDJSON";
}

/** A header that begins with a bracket is far rarer than JSON under a wrong name. */
function asCsv(file: string, start: string): FileKind {
  if (looksLikeJson(start)) {
    throw new Failure("source_wrong_kind", `${file}: holds JSON under a CSV name`, {
      hint: "name it .json (one array or object) or .ndjson (one object a line)",
    });
  }
  return "csv";
}

function asJson(file: string, start: string): FileKind {
  if (start === "" || start.startsWith("[") || start.startsWith("{")) return "json";
  throw new Failure("source_wrong_kind", `${file}:1: JSON records begin with [ or {, this begins otherwise`, {
    hint: "if it is CSV, name it .csv: the extension decides how a file is read",
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
  return isJson(first) && rest.some((line) => line.trim() !== "") ? "ndjson" : "json";
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
