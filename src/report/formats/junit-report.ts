import { formatPlace } from "../../model/place.ts";
import { type Outcome, STATUSES, type Status } from "../../model/outcome.ts";
import type { Problem } from "../../model/problem.ts";
import { allOutcomes, countRecords, type Report, type Write } from "../report.ts";
import { plainText } from "../../text/plain-text.ts";
import { describeProblem } from "../problems/problem-text.ts";

type TestResult = "failure" | "error" | "skipped";

const TEST_RESULT_BY_STATUS: Readonly<Partial<Record<Status, TestResult>>> = {
  invalid: "failure",
  rejected: "failure",
  duplicate: "failure",
  ambiguous: "error",
  existing: "error",
  stale: "error",
  blocked: "error",
  pending: "skipped",
  skipped: "skipped",
};

/**
 * Writes one test case per record, with the result in `TEST_RESULT_BY_STATUS`. Conforms to the strict schema of
 * Jenkins' xUnit plugin (junit-10.xsd), unless `testLocations` adds `file` and `line`.
 */
export async function junitReporter(report: Report, write: Write): Promise<void> {
  const { summary, title } = report;
  const count = (result: TestResult): number =>
    countRecords(
      summary,
      STATUSES.filter((status) => TEST_RESULT_BY_STATUS[status] === result),
    );
  const name = xmlText(title);
  const counts = `tests="${summary.records}" failures="${count("failure")}" errors="${count("error")}"`;
  await write(`<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="${name}" ${counts}>\n`);
  await write(`<testsuite name="${name}" ${counts} skipped="${count("skipped")}">\n`);
  for await (const batch of allOutcomes(report)) {
    await write(batch.map((outcome) => testCase(outcome, report)).join(""));
  }
  await write("</testsuite>\n</testsuites>\n");
}

function testCase(outcome: Outcome, { showValues, testLocations = false }: Report): string {
  const { record, key, source, status, problems } = outcome;
  const name = xmlText(`record ${record}${key === undefined ? "" : ` ${key}`}`);
  const file = xmlText(source.file);
  const location = testLocations ? ` file="${file}" line="${source.line}"` : "";
  const attributes = `classname="${file}" name="${name}"${location}`;
  const result = TEST_RESULT_BY_STATUS[status];
  if (result === undefined && problems.length === 0) return `<testcase ${attributes}/>\n`;
  const lines = problems.map((problem) => xmlText(problemLine(problem, showValues))).join("\n");
  if (result === undefined) return `<testcase ${attributes}><system-out>${lines}</system-out></testcase>\n`;
  const reason = `message="${xmlText(messageOf(outcome))}"`;
  if (result === "skipped") return `<testcase ${attributes}><skipped ${reason}/></testcase>\n`;
  return `<testcase ${attributes}><${result} type="${status}" ${reason}>${lines}</${result}></testcase>\n`;
}

function messageOf({ status, problems }: Outcome): string {
  const codes = new Set(problems.filter((problem) => problem.severity === "error").map((problem) => problem.code));
  return codes.size === 0 ? status : `${status}: ${[...codes].join(", ")}`;
}

function problemLine(problem: Problem, showValues: boolean): string {
  const { attr, code, severity, place, value } = problem;
  const where = place === undefined ? "" : ` (${formatPlace(place)})`;
  const what = showValues && value !== undefined ? ` [${value}]` : "";
  return `${severity} ${code} at ${attr}: ${describeProblem(problem)}${what}${where}`;
}

/**
 * Renders text for an element or an attribute. Substitutes visible characters for characters that XML 1.0 does not
 * allow, and escapes special characters.
 */
function xmlText(text: string): string {
  return plainText(text, MAX_TEXT_LENGTH).replace(/[<>&"']/g, (character) => ENTITIES[character] ?? "");
}

const MAX_TEXT_LENGTH = 2000;
const ENTITIES: Readonly<Record<string, string>> = {
  "<": "&lt;",
  ">": "&gt;",
  "&": "&amp;",
  '"': "&quot;",
  "'": "&apos;",
};
