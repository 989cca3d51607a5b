import { NON_FIELD_ERRORS } from "../../json/attr.ts";
import { describePattern, describeReported, requiredPattern } from "../problems/problem-text.ts";
import { counted, formatCount, plural } from "../../text/count.ts";
import { adviceFor } from "../problems/advice.ts";
import { problemTitle, type FieldTitle } from "../problems/problem-title.ts";
import type { PageCause, PageFinding } from "./collect-rows.ts";
import { html, type Html } from "./html.ts";
import { percent } from "./records-section.ts";

/** Maximum number of causes in the chart; the number of cards is limited separately. */
const CHARTED = 10;

/**
 * Renders the error causes that affect the most records as bars with links to their cards. Returns undefined if there
 * are fewer than two error causes.
 */
export function causesChart(causes: readonly PageCause[], fieldTitle: FieldTitle | undefined): Html | undefined {
  const charted = causes.filter(({ severity }) => severity === "error").slice(0, CHARTED);
  const highest = charted[0]?.records ?? 0;
  if (charted.length < 2) return undefined;
  const bars = charted.map(
    (cause, at) =>
      html`<li>
        <a href="#cause-${at + 1}">
          <span class="bar-label"
            >${problemTitle(cause.first, fieldTitle)}
            <span class="bar-place"
              >${placeOf(cause)}${cause.by === "platform" ? ", found by the platform" : ""}</span
            ></span
          >
          <svg class="bar" height="10" aria-hidden="true">
            <rect class="track" width="100%" height="10" rx="5"></rect>
            <rect class="fill-bad" width="${percent((100 * cause.records) / highest)}" height="10" rx="5"></rect>
          </svg>
          <span class="number"
            >${formatCount(cause.records)}<span class="quiet"> ${plural(cause.records, "record")}</span></span
          ></a
        >
      </li> `,
  );
  return html`<section aria-labelledby="chart">
    <h2 id="chart">Most frequent causes</h2>
    <ol class="chart">
      ${bars}
    </ol>
  </section> `;
}

interface CausesOptions {
  readonly fieldTitle: FieldTitle | undefined;
  readonly showValues: boolean;
  /** Text about causes that the page omits. */
  readonly leftOut: Html | undefined;
}

/** Renders each cause as a card; undefined if there are no causes. */
export function causesSection(
  causes: readonly PageCause[],
  { fieldTitle, showValues, leftOut }: CausesOptions,
): Html | undefined {
  if (causes.length === 0) return undefined;
  const lead = showValues ? "In the shape of a value," : "The values themselves are not shown:";
  const notation = html`<p class="note">${lead} ${SHAPE_NOTATION}</p>`;
  const firstShape = causes.findIndex(({ shapes }) => shapes.some(({ shape }) => isNotation(shape)));
  const title = causes.some(({ severity }) => severity === "error") ? "Errors to fix" : "Warnings";
  return html`<section aria-labelledby="causes">
    <h2 id="causes">${title}</h2>
    ${FILTERS}
    <ol class="causes">
      ${causes.map((cause, at) => causeCard(cause, at, fieldTitle, at === firstShape ? notation : undefined))}
    </ol>
    ${leftOut}
  </section>`;
}

/** Hidden until the script of the page adds the choices. */
const FILTERS: Html = html`<form class="filters" role="search" aria-label="Filter the causes" hidden>
    <label for="search">Search <input type="search" id="search" autocomplete="off" spellcheck="false" /></label>
    ${choice("file", "File", "all files")} ${choice("column", "Column", "all columns")}
    ${choice("code", "Code", "all codes")}
    <button type="reset">Clear</button>
  </form>
  <p id="found" class="found" role="status" aria-live="polite"></p>`;

function choice(id: string, label: string, all: string): Html {
  return html`<label for="${id}"
    >${label}
    <select id="${id}">
      <option value="">${all}</option>
    </select></label
  >`;
}

/** Explains the notation of shapes (`text/shape.ts`). Callers add the beginning of the sentence. */
export const SHAPE_NOTATION: Html = html`<code>A</code> stands for a capital letter, <code>a</code> for a small letter,
  <code>9</code> for a digit, and <code>9{11}</code> for eleven digits in a row.`;

/** Whether a shape needs an explanation. A code in quotation marks and the name of a type do not. */
function isNotation(shape: string): boolean {
  return /^[^"]*[Aa9]/.test(shape) && !TYPE_NAMES.has(shape);
}

const TYPE_NAMES: ReadonlySet<string> = new Set(["(empty)", "null", "list", "object", "number", "boolean"]);

/** Renders a cause as a card. The script of the page adds the rows of the cause on demand. */
function causeCard(cause: PageCause, at: number, fieldTitle: FieldTitle | undefined, notation: Html | undefined): Html {
  const { severity, records, count, shapes, also, first } = cause;
  const held = severity === "error" ? "held back" : "affected";
  return html`<li>
    <article class="cause ${severity}" id="cause-${at + 1}" aria-labelledby="words-${at + 1}">
      <div class="cause-head">
        <h3 id="words-${at + 1}">${problemTitle(first, fieldTitle)}</h3>
        <p class="tally"><strong>${formatCount(records)}</strong> ${plural(records, "record")} ${held}</p>
      </div>
      <p class="tags"><span>${placeOf(cause)}</span> ${tags(cause)}</p>
      ${message(cause, fieldTitle)}
      <p class="advice"><span class="advice-label">What to do</span> ${adviceFor(first)}</p>
      ${also.length === 0 ? undefined : alsoList(cause, fieldTitle)} ${shapeList(shapes)} ${notation}
      <p class="example">${count === 1 ? "Found in" : "First found in"} ${example(cause)}</p>
      ${
        count === 1
          ? undefined
          : html`<details class="places">
              <summary>Where: <span class="where">${counted(count, "place")}</span></summary>
              <div class="rows"><p>All rows are in errors.csv.</p></div>
            </details>`
      }
    </article>
  </li> `;
}

function tags({ attr, code, by }: PageFinding): Html {
  return html`<code>${attr}</code> <span class="tag">${code}</span>
    <span class="tag">${by === "platform" ? "found by the platform" : "found before sending"}</span>`;
}

/**
 * Returns the message of the problem; undefined if the message is already the title. Describes a required pattern in
 * words if possible, and shows the pattern itself below.
 */
function message({ first }: PageFinding, fieldTitle: FieldTitle | undefined): Html | undefined {
  const pattern = requiredPattern(first);
  if (pattern === undefined) {
    const text = describeReported(first);
    return text === problemTitle(first, fieldTitle) ? undefined : html`<p class="words">${text}</p>`;
  }
  const phrase = describePattern(first);
  if (phrase === undefined) {
    return html`<p class="words">Does not match the format that the contract requires.</p>
      <p class="form">Required pattern, for the migration team: <code>${pattern}</code></p>`;
  }
  return html`<p class="words">${phrase}</p>
    <details class="form">
      <summary>Pattern, for the migration team</summary>
      <code>${pattern}</code>
    </details>`;
}

/** Lists the other findings in the same cells. These findings do not count as separate places. */
function alsoList({ also, count, words }: PageCause, fieldTitle: FieldTitle | undefined): Html {
  return html`<div class="also">
    <p>Also found in the same ${plural(count, "cell")}:</p>
    <ul>
      ${also.map(
        (finding) =>
          html`<li>
            ${problemTitle(finding.first, fieldTitle)}${
              finding.count === count ? undefined : html` (${formatCount(finding.count)} of ${counted(count, "cell")})`
            }
            <span class="tags">${tags(finding)}</span>
            ${finding.words === words ? undefined : message(finding, fieldTitle)}
          </li>`,
      )}
    </ul>
  </div>`;
}

function shapeList(shapes: PageCause["shapes"]): Html | undefined {
  if (shapes.length === 0) return undefined;
  return html`<p class="shapes">
    <span>The ${plural(shapes.length, "value")} ${shapes.length === 1 ? "looks" : "look"} like</span
    >${shapes.map(({ shape, count }) => html` <code>${shape}</code><span class="times">${counted(count, "time")}</span>`)}
  </p> `;
}

/**
 * Names the column and its file, such as `POSTCODE in accounts.csv`, because the owner of the file recognises the
 * column. Without a column, names the attr.
 */
function placeOf({ places, attr }: PageCause): string {
  const [first, ...others] = places;
  if (first === undefined) return "";
  const more = others.length === 0 ? "" : `, and ${counted(others.length, "other column")}`;
  const what = first.column ?? (attr === NON_FIELD_ERRORS ? undefined : attr);
  return `${what === undefined ? "" : `${what} in `}${first.file}${more}`;
}

/** Renders the first row, which is visible without the script. */
function example(cause: PageCause): Html {
  const { places, shapes } = cause;
  const [place] = places;
  const row = place?.rows[0];
  if (place === undefined || row === undefined) return html`errors.csv.`;
  const { record, key, line, shape, value, note } = row;
  const column = place.column === undefined ? "" : `, column ${place.column}`;
  const where = row.pointer === undefined ? column : `, at ${row.pointer}`;
  return html`<strong>${place.file}, line ${line}${where}</strong>, record
    ${key ?? `no. ${record}`}.${
      shape === undefined || shapes.length < 2 ? undefined : html` It looks like <code>${shape}</code>.`
    }${value === undefined ? undefined : html` Its value is <code>${value}</code>.`}${note === undefined ? "" : ` ${note}`}`;
}
