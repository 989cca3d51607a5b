import { type Status, STATUSES } from "../../model/outcome.ts";
import { TONES, toneOf } from "../../model/status-tone.ts";
import { formatCount } from "../../text/count.ts";
import { type StatusCounts, statusMeaning } from "../run-summary.ts";
import { html, type Html } from "./html.ts";

/** Renders the statuses of the records as a bar and as a table. A page may have several of these sections. */
export function recordsSection(summary: StatusCounts, id = "records", title = "Records"): Html {
  const present = STATUSES.filter((status) => (summary.counts[status] ?? 0) > 0).toSorted(
    (a, b) => TONES.indexOf(toneOf(a)) - TONES.indexOf(toneOf(b)),
  );
  const rows = present.map((status) => {
    const count = summary.counts[status] ?? 0;
    return html`<tr>
      <td class="swatch">
        <svg width="12" height="12" aria-hidden="true">
          <rect width="12" height="12" rx="3" class="fill-${toneOf(status)}"></rect>
        </svg>
      </td>
      <th scope="row">${status}</th>
      <td class="number">${formatCount(count)}</td>
      <td>${statusMeaning(status, summary)}</td>
    </tr> `;
  });
  return html`<section aria-labelledby="${id}">
    <h2 id="${id}">${title}</h2>
    ${statusBar(summary, present)}
    <table class="statuses">
      <caption class="quiet">
        Status of the records
      </caption>
      <thead class="quiet">
        <tr>
          <td></td>
          <th scope="col">Status</th>
          <th scope="col">Records</th>
          <th scope="col">Meaning</th>
        </tr>
      </thead>
      <tbody>
        ${rows}
      </tbody>
    </table>
  </section> `;
}

function statusBar(summary: StatusCounts, present: readonly Status[]): Html {
  let x = 0;
  const parts = present.map((status) => {
    const width = (100 * (summary.counts[status] ?? 0)) / summary.records;
    const part = html`<rect
      class="fill-${toneOf(status)}"
      x="${percent(x)}"
      width="${percent(width)}"
      height="16"
    ></rect>`;
    x += width;
    return part;
  });
  const words = present.map((status) => `${formatCount(summary.counts[status] ?? 0)} ${status}`).join(", ");
  return html`<svg class="status-bar" height="16" role="img" aria-label="${words}">${parts}</svg> `;
}

/** Rounds to at most two decimal places. */
export function percent(share: number): string {
  return `${Math.round(share * 100) / 100}%`;
}
