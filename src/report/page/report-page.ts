import path from "node:path";
import { NEEDS_WORK, ON_PLATFORM, type Status } from "../../model/outcome.ts";
import type { Severity } from "../../model/problem.ts";
import { counted, formatCount, plural } from "../../text/count.ts";
import { type FieldTitle, problemTitle } from "../problems/problem-title.ts";
import { WORKBOOK_FILE } from "../rejects/reject-file.ts";
import type { Rejects } from "../rejects/write-rejects.ts";
import { type Report, type RunFacts, type Write, countRecords, totalOf } from "../report.ts";
import { SHAPE_NOTATION, causesChart, causesSection } from "./causes-section.ts";
import { type CauseCollector, MAX_CAUSES, type PageCause, type PageFinding } from "./collect-rows.ts";
import { type Html, dataElement, factsList, html } from "./html.ts";
import type { FindingData, PageData } from "./page-data.ts";
import { writePage } from "../write-page.ts";
import { recordsSection } from "./records-section.ts";
import { runFacts, timelineSection } from "./timeline-section.ts";

/** Maximum number of cards. Further causes are only counted. */
const MAX_CARDS = 100;

/**
 * Writes `report.html` (docs/errors.md, "HTML report") with the causes collected from all outcomes. The size of the
 * page is limited, regardless of the size of the input.
 * @param rejects the rejects files in the folder of the page; undefined if there are none
 */
export async function writeReportPage(
  report: Report,
  collector: CauseCollector,
  rejects: Rejects | undefined,
  write: Write,
): Promise<void> {
  const causes = collector.causes();
  const shown = causes.slice(0, MAX_CARDS);
  const { fieldTitle, showValues, run: { timeline } = {} } = report;
  const content = [
    header(report),
    html`<main id="content">
      ${stepsSection(report, rejects)} ${lead(report, collector)}
      ${report.summary.records > 0 ? recordsSection(report.summary) : undefined} ${causesChart(shown, fieldTitle)}
      ${causesSection(shown, { fieldTitle, showValues, leftOut: hiddenText(causes.slice(MAX_CARDS), collector.others()) })}
      ${timeline && timelineSection(timeline)} ${report.run && runSection(report.run)}
    </main>`,
    footer(report),
    dataElement("data", pageData(report, shown)),
  ];
  await writePage({ title: report.title, content, hasScript: true }, write);
}

function header(report: Report): Html {
  const { title, run, showValues } = report;
  return html`<a class="skip" href="#content">Skip to the content</a>
    <header>
      <p class="kicker">${kickerOf(run)} · <span>${title}</span></p>
      <h1>${headline(report)}</h1>
      ${showValues ? SECRET : undefined}
    </header> `;
}

const SECRET: Html = html`<p class="secret">This page contains customer data. Protect it like the extract itself.</p> `;

function kickerOf(run: RunFacts | undefined): string {
  if (run?.command === "push") return run.dryRun ? "Dry run: nothing was sent" : "Migration report";
  return run?.command === "documents check" ? "Document check" : "Data check: nothing was sent";
}

function runSection(run: RunFacts): Html {
  return html`<section aria-labelledby="run">
    <h2 id="run">The run</h2>
    ${runFacts(run, run.command === "push" ? run.id : undefined)}
  </section>`;
}

function lead({ summary }: Report, collector: CauseCollector): Html | undefined {
  const errors = totalOf(summary.errors);
  const warnings = totalOf(summary.warnings);
  if (errors + warnings === 0)
    return summary.records === 0 ? undefined : html`<p class="lead">No errors were found.</p> `;
  const { places, causes } = collector.totals();
  const where = places < errors ? ` in ${counted(places, "place")}` : "";
  const behind = `${formatCount(causes)}${causes >= MAX_CAUSES ? "+" : ""} ${plural(causes, "cause")}`;
  const shared = where === "" ? "" : " Errors in the same cell are shown together.";
  const sentence =
    errors === 0
      ? "No errors were found."
      : `${counted(errors, "error")}${where} ${errors === 1 ? "has" : "have"} ${behind}.${shared} Each cause below includes advice.`;
  const warned =
    warnings === 0
      ? ""
      : ` ${counted(warnings, "warning")} ${warnings === 1 ? "was" : "were"} found. Warnings do not prevent a record from being sent.`;
  return html`<p class="lead">${sentence}${warned}</p> `;
}

function hiddenText(hidden: readonly PageCause[], others: Readonly<Record<Severity, number>>): Html | undefined {
  const beyond = others.error + others.warning;
  const problems = hidden.reduce((sum, { problems: each }) => sum + each, beyond);
  if (problems === 0) return undefined;
  const count = `${formatCount(hidden.length)}${beyond > 0 ? " or more" : ""} `;
  const noun = hidden.length === 1 && beyond === 0 ? "cause" : "causes";
  const causes = `${hidden.length === 0 ? "" : count}further ${noun}`;
  return html`<p class="left-out">
    Not on this page: ${counted(problems, "problem")} with ${causes}. See errors.csv.
  </p> `;
}

function footer({ showValues }: Report): Html {
  const shown = showValues
    ? "Values are shown next to their shape"
    : "Only the shape of values is shown, so that the page can be shared";
  return html`<footer>
    <h2>How to read this page</h2>
    <p>${shown}: ${SHAPE_NOTATION}</p>
    <p>
      Lines are counted from 1, including the line with the column names. In the same folder, errors.csv lists every
      problem, and the files whose names start with rejects contain the rows that need work.
    </p>
  </footer> `;
}

function pageData({ showValues, fieldTitle }: Report, causes: readonly PageCause[]): PageData {
  return {
    showValues,
    causes: causes.map(({ severity, places, also, ...cause }) => ({
      ...findingData(cause, fieldTitle),
      severity,
      places,
      also: also.map((finding) => findingData(finding, fieldTitle)),
    })),
  };
}

function findingData(
  { code, attr, words, first, count }: PageFinding,
  fieldTitle: FieldTitle | undefined,
): FindingData {
  return { code, attr, title: problemTitle(first, fieldTitle), words, count };
}

export function headline({ summary, run }: Report): string {
  const { records } = summary;
  if (records === 0) return "No records were read.";
  const parts = PARTS.map(({ statuses, phrase }) => ({ count: countRecords(summary, statuses), phrase })).filter(
    ({ count }) => count > 0,
  );
  const isCheck = run === undefined || run.command !== "push" || run.dryRun;
  const words = parts.map(({ count, phrase }) => ({ count, text: phrase(count, isCheck) }));
  const [first, ...rest] = words;
  if (first === undefined) return `${counted(records, "record")} ${records === 1 ? "was" : "were"} read.`;
  if (rest.length === 0) {
    const all =
      records === 1 ? "The only record" : records === 2 ? "Both records" : `All ${formatCount(records)} records`;
    return `${all} ${first.text}.`;
  }
  const clauses = [
    `${formatCount(first.count)} of ${formatCount(records)} records ${first.text}`,
    ...rest.map(({ count, text }) => `${formatCount(count)} ${text}`),
  ];
  return `${listed(clauses)}.`;
}

interface HeadlinePart {
  readonly statuses: Iterable<Status>;
  readonly phrase: (count: number, isCheck: boolean) => string;
}

/** The parts of the headline, in order. Together, the parts cover every status. */
const PARTS: readonly HeadlinePart[] = [
  { statuses: ON_PLATFORM, phrase: (count) => `${count === 1 ? "is" : "are"} on the platform` },
  {
    statuses: ["valid"],
    phrase: (count, isCheck) => `${count === 1 ? "is" : "are"} ${isCheck ? "ready to be sent" : "without errors"}`,
  },
  { statuses: NEEDS_WORK, phrase: (count) => (count === 1 ? "needs work" : "need work") },
  {
    statuses: ["existing"],
    phrase: (count) => `${count === 1 ? "exists" : "exist"} on the platform with unverified content`,
  },
  { statuses: ["stale"], phrase: (count) => `${count === 1 ? "is" : "are"} older than content already sent` },
  { statuses: ["excluded"], phrase: (count) => `${count === 1 ? "is" : "are"} excluded from the migration` },
  { statuses: ["ambiguous"], phrase: (count) => `${count === 1 ? "has" : "have"} an unknown outcome` },
  { statuses: ["blocked", "pending"], phrase: (count) => `${count === 1 ? "is" : "are"} still to be sent or finished` },
];

function listed(clauses: readonly string[]): string {
  const last = clauses.at(-1) ?? "";
  if (clauses.length === 2) return clauses.join(", and ");
  return `${clauses.slice(0, -1).join(", ")}, and ${last}`;
}

function stepsSection({ summary, owner }: Report, rejects: Rejects | undefined): Html | undefined {
  if (countRecords(summary, NEEDS_WORK) === 0) return undefined;
  const hasFiles = rejects !== undefined && rejects.files.some(({ rows }) => rows > 0);
  const steps = hasFiles ? [openStep(rejects), CORRECT, returnStep(owner)] : EXPORT_STEPS;
  return html`<section class="first" aria-labelledby="first">
    <h2 id="first">What to do first</h2>
    ${
      owner &&
      factsList([
        ["Owner", owner.name],
        ["Address", owner.address],
        ["Return by", owner.due],
      ])
    }
    <ol class="steps">
      ${steps.map((step) => html`<li>${step}</li> `)}
    </ol>
  </section>`;
}

const CAREFUL = "They contain customer data, so send them securely.";

const EXPORT_STEPS: readonly Html[] = [
  html`Correct the cells listed below in the source files, or correct them in the old system and export the files again.`,
  html`Send the files to the migration team. ${CAREFUL}`,
];

const CORRECT: Html = html`Correct the cells as described below, and save the files. Keep the file names, the columns
and all rows, and do not change other files.`;

/** Renders links to the files that contain the rows to correct. These files are in the folder of the page. */
function openStep({ files, workbook, leftOut }: Rejects): Html {
  const names = files.filter(({ rows }) => rows > 0).map((file) => path.basename(file.path));
  const csv = names.filter((name) => name.endsWith(".csv"));
  const others = names.filter((name) => !name.endsWith(".csv"));
  const sheet = workbook !== undefined && workbook.leftOut === undefined && csv.length > 0;
  const text = sheet
    ? html`Open ${link(WORKBOOK_FILE)}, next to this page. Cells with an error are red. You can correct ${links(csv)}
      instead, but do not correct both.${others.length === 0 ? "" : html` Also correct ${links(others)}.`}`
    : html`Open ${links(names)}, next to this page.`;
  if (leftOut === 0) return text;
  return html`${text} ${counted(leftOut, "record")} ${leftOut === 1 ? "is" : "are"} not in these files: see errors.csv.`;
}

function returnStep(owner: Report["owner"]): Html {
  if (owner === undefined) {
    return html`Return the files to the migration team, which sends them with
      <code class="command">migrate push --rejects</code>. ${CAREFUL}`;
  }
  const by = owner.due === undefined ? "" : ` by ${owner.due}`;
  return html`Return the folder to the sender${by}. It contains customer data, so send it as securely as you received
  it.`;
}

function links(names: readonly string[]): Html {
  const last = names.length - 1;
  return html`${names.map((name, at) => html`${at === 0 ? "" : at === last ? " and " : ", "}${link(name)}`)}`;
}

function link(name: string): Html {
  return html`<a href="${encodeURIComponent(name)}">${name}</a>`;
}
