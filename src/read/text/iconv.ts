import { createRequire } from "node:module";
import type * as Iconv from "iconv-lite";

let library: typeof Iconv | undefined;

/** Returns the library for encodings other than UTF-8. Loads it on demand, because its tables are large. */
export function iconv(): typeof Iconv {
  library ??= loadLibrary();
  return library;
}

function loadLibrary(): typeof Iconv {
  const load = createRequire(import.meta.url);
  return load("iconv-lite");
}
