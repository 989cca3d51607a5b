import { csv } from "./csv.ts";
import type { Format } from "./format.ts";
import { github } from "./github.ts";
import { json } from "./json.ts";
import { junit } from "./junit.ts";
import { ndjson } from "./ndjson.ts";
import type { Reporter } from "./report.ts";
import { text } from "./text.ts";

/** One reporter a format. */
export const reporters: Readonly<Record<Format, Reporter>> = { text, json, ndjson, csv, junit, github };
