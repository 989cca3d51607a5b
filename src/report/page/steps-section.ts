import path from "node:path";
import { NEEDS_WORK } from "../../model/outcome.ts";
import { counted } from "../../text/count.ts";
import { WORKBOOK_FILE } from "../rejects/reject-file.ts";
import type { Rejects } from "../rejects/write-rejects.ts";
import { countRecords, type Report } from "../report.ts";
import { factsList } from "./facts-list.ts";
import { html, type Html } from "./html.ts";

/** Tells the reader who corrects which files, and how to return them; undefined if no record needs correction. */
export function stepsSection({ summary, owner }: Report, rejects: Rejects | undefined): Html | undefined {
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
  html`Correct the cells below in the source files. Or correct them in the old system, and export the files again.`,
  html`Send the files to the migration team. ${CAREFUL}`,
];

const CORRECT: Html = html`Correct the cells as described below, and save. Keep the file names, the columns and all
rows, and do not change other files.`;

/** Links the files that contain the rows to correct. They are in the folder of the page. */
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
  return html`${text} ${counted(leftOut, "row")} ${leftOut === 1 ? "is" : "are"} not in these files: see errors.csv.`;
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
