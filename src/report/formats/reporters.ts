import { csvReporter } from "./csv-report.ts";
import type { Format } from "./output-format.ts";
import { githubReporter } from "./github-annotations.ts";
import { jsonReporter, ndjsonReporter } from "./json-report.ts";
import { junitReporter } from "./junit-report.ts";
import type { Reporter } from "../report.ts";
import { textReporter } from "./text-report.ts";

export const reporters: Readonly<Record<Format, Reporter>> = {
  text: textReporter,
  json: jsonReporter,
  ndjson: ndjsonReporter,
  csv: csvReporter,
  junit: junitReporter,
  github: githubReporter,
  xlsx: textReporter,
};
