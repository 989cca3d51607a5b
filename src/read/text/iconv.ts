import { createRequire } from "node:module";
import type * as Iconv from "iconv-lite";

let library: typeof Iconv | undefined;

/** Encodings beside UTF-8. Loaded for the first file that has one: they are large tables. */
export function iconv(): typeof Iconv {
  library ??= loadLibrary();
  return library;
}

function loadLibrary(): typeof Iconv {
  const load = createRequire(import.meta.url);
  return load("iconv-lite");
}
