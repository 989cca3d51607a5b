import type { MeasureProof, Proof, RunProof, SourceProof } from "../../model/proof.ts";
import { counted, formatCount } from "../../text/count.ts";
import type { Write } from "../report.ts";
import { writePage } from "../write-page.ts";
import { type Html, html, numberColumns, pageTable } from "./html.ts";
import { recordsSection } from "./records-section.ts";
import { moment, runFacts } from "./timeline-section.ts";

/** Writes `proof.html`, which shows the contents of `proof.json` for reading and printing. */
export async function writeProofPage(proof: Proof, write: Write): Promise<void> {
  const content = [
    html`<header>
      <p class="kicker">Migration proof · created ${moment(proof.madeAt)} by ${proof.tool}</p>
      <h1>${sentence(proof)}</h1>
    </header>`,
    html`<main id="content">${proof.coverage && coverageTable(proof.coverage)}${proof.runs.map(runSection)}</main>`,
    footer(proof),
  ];
  await writePage({ title: "Migration proof", content, hasScript: false }, write);
}

function sentence({ runs, unplanned = 0 }: Proof): string {
  const rows = sum(runs.flatMap(({ sources }) => sources.map((source) => source.rows)));
  const lost = sum(runs.flatMap(({ sources }) => sources.map(({ unaccounted }) => unaccounted)));
  const different = sum(runs.map(({ payloads }) => payloads.different));
  const unread = runs.filter(({ unreadable }) => unreadable !== undefined).length;
  const parts = [
    ...(unread > 0 ? [`the sources of ${counted(unread, "run")} have changed or cannot be read`] : []),
    ...(lost > 0 ? [`${counted(lost, "row")} cannot be accounted for`] : []),
    ...(different > 0
      ? [`${counted(different, "payload")} ${different === 1 ? "differs" : "differ"} from the plan`]
      : []),
    ...(unplanned > 0
      ? [`${counted(unplanned, "record")} that may have been sent ${unplanned === 1 ? "is" : "are"} in no run`]
      : []),
  ];
  if (parts.length === 0)
    return rows === 1 ? "The only row is accounted for." : `All ${formatCount(rows)} rows are accounted for.`;
  return `Not proved: ${parts.join("; ")}.`;
}

function coverageTable(coverage: NonNullable<Proof["coverage"]>): Html {
  const rows = coverage.map(({ target, supplier, operation, records, accepted }) => [
    [target, supplier, operation].filter((part) => part !== "").join(", "),
    ...[records, accepted, records - accepted].map(formatCount),
  ]);
  return html`<section aria-labelledby="all-runs">
    <h2 id="all-runs">All runs together</h2>
    ${pageTable({
      id: "coverage",
      title: "Records of all runs, each counted once",
      columns: [{ name: "Sent to" }, ...numberColumns(["Records", "Accepted", "Open"])],
      rows,
    })}
  </section>`;
}

function runSection(run: RunProof, at: number): Html {
  const { records, unreadable, payloads } = run;
  const summary = { records: records.total, counts: records.byStatus };
  return html`<section aria-labelledby="run-${at}">
    <h2 id="run-${at}">Run ${run.run}${run.dryRun ? " (dry run)" : ""}</h2>
    ${runFacts(run)}
    ${unreadable && html`<p class="secret">This run cannot be proved from its sources: ${unreadable}.</p>`}
    ${records.total > 0 ? recordsSection(summary, `records-${at}`, `Records of run ${run.run}`) : undefined}
    ${run.sources.length > 0 ? sourcesTable(run.sources, at) : undefined}
    <p>${payloadText(payloads)}</p>
    ${correctionsText(run)}
    ${run.measures.map((measure, index) => measureTable(measure, `measure-${at}-${index}`, `run-${at}`))}
    ${existingText(run)} ${platformText(run)}
    <p>${differencesText(run)}</p>
    ${filesTable(run, at)}
  </section>`;
}

function correctionsText({ run, corrections = 0 }: RunProof): Html | undefined {
  if (corrections === 0) return undefined;
  const cells = `${counted(corrections, "cell")} ${corrections === 1 ? "was" : "were"} corrected`;
  return html`<p>${cells} while the sources were read: corrections-${run}.csv lists every correction.</p>`;
}

const COUNTED: readonly (readonly [string, Exclude<keyof SourceProof, "file" | "source" | "sha256">])[] = [
  ["Rows", "rows"],
  ["In records", "inRecords"],
  ["Orphans", "orphans"],
  ["Duplicates", "duplicates"],
  ["Left out", "leftOut"],
  ["Not picked", "notPicked"],
  ["Unaccounted", "unaccounted"],
  ["Blank lines", "blankLines"],
];

/** Columns that are omitted if all their values are zero. */
const RARE: ReadonlySet<keyof SourceProof> = new Set(["leftOut", "notPicked", "blankLines"]);

function sourcesTable(sources: readonly SourceProof[], at: number): Html {
  const shown = COUNTED.filter(([, name]) => !RARE.has(name) || sources.some((source) => source[name] > 0));
  const rows = sources.map((source) => [source.file, ...shown.map(([, name]) => formatCount(source[name]))]);
  return pageTable({
    id: `sources-${at}`,
    of: `run-${at}`,
    title: "Every row of the sources",
    columns: [{ name: "File" }, ...numberColumns(shown.map(([name]) => name))],
    rows,
  });
}

function filesTable({ sources, setup }: RunProof, at: number): Html {
  return pageTable({
    id: `files-${at}`,
    of: `run-${at}`,
    title: "Input files of the run",
    columns: [{ name: "File" }, { name: "Bytes", kind: "number" }, { name: "SHA-256", kind: "hash" }],
    rows: [...sources, ...setup].map(({ file, bytes, sha256 }) => [file, formatCount(bytes), sha256]),
  });
}

function measureTable({ name, attr, by, sums, unreadable }: MeasureProof, id: string, of: string): Html {
  const hasPlatform = sums.some(({ platform }) => platform !== undefined);
  const stages = ["In the sources", "In payloads", "Sent", "Accepted", ...(hasPlatform ? ["On the platform"] : [])];
  const rows = sums.map((one) => [
    one.by ?? (by === undefined ? "total" : "none"),
    one.source,
    one.payloads,
    one.sent,
    one.accepted,
    ...(hasPlatform ? [one.platform ?? ""] : []),
  ]);
  const lost =
    unreadable === 0
      ? ""
      : ` ${counted(unreadable, "value")} could not be read as ${unreadable === 1 ? "a number" : "numbers"}.`;
  const note = `Attr: ${attr}${by === undefined ? "" : `, by ${by}`}.${lost}`;
  const columns = [{ name: by === undefined ? "Sum" : "By" }, ...numberColumns(stages)];
  return pageTable({ id, of, title: `Sum: ${name}`, note, columns, rows });
}

function payloadText({ same, different }: RunProof["payloads"]): string {
  const agreement = `${counted(same, "payload")} rebuilt from the sources ${same === 1 ? "matches" : "match"} the plan in the ledger`;
  return different === 0
    ? `${agreement}.`
    : `${agreement}; ${formatCount(different)} ${different === 1 ? "differs" : "differ"}.`;
}

function existingText({ records }: RunProof): Html | undefined {
  const { existing = 0 } = records.byStatus;
  if (existing === 0) return undefined;
  return html`<p>
    ${counted(existing, "record")} already existed on the platform. It is not known whether
    ${existing === 1 ? "its" : "their"} content matches the sources.
  </p>`;
}

function platformText({ platform }: RunProof): Html | undefined {
  if (platform === undefined) return undefined;
  const { askedAt, compared, found, notCompared, different, absent, unknown, replaced } = platform;
  const attrs = compared.length === 0 ? "only keys" : compared.join(", ");
  return html`<p>
    The platform was queried on ${moment(askedAt)}. Accepted records found with the values that were sent:
    ${formatCount(found)}. Found, but no value could be compared: ${formatCount(notCompared)}. Different:
    ${formatCount(different)}. Missing: ${formatCount(absent)}. Not checked: ${formatCount(unknown)}. Not looked up,
    because the platform has accepted other content since: ${formatCount(replaced)}. Compared attrs: ${attrs}.
  </p>`;
}

function differencesText({ differences, run }: RunProof): string {
  if (differences === 0) return "There are no differences.";
  return `${counted(differences, "difference")}, each with its key, in differences-${run}.csv.`;
}

function footer({ files }: Proof): Html {
  return html`<footer>
    <h2>Other files</h2>
    ${pageTable({
      id: "files",
      title: "Tables of every row, every record and every difference",
      columns: [{ name: "File" }, { name: "SHA-256", kind: "hash" }],
      rows: Object.entries(files),
    })}
    <p>
      A row is in a record, is an orphan (no parent has its key), is in a duplicate of another record, was left out by
      the run, or was not picked by the mapping. Any other row is unaccounted for.
      <code>migrate proof verify</code> computes the proof again from the sources and the ledger, and lists the
      differences.
    </p>
  </footer>`;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
