import { Failure } from "../model/failure.ts";
import type { PackedFile } from "./file-bytes.ts";

/** The failure for a quote that was opened on `line` (1-based) and never closed. */
export function unclosedQuote(source: PackedFile, line: number): Failure {
  return new Failure("source_unclosed_quote", `${source.file}:${line}: a quote is opened here and not closed`, {
    hint: 'close it, or double it ("") if it belongs to the value; if the file ends early, it may have been cut off',
    place: { file: source.file, line },
  });
}
