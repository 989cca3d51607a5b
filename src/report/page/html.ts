import { printableJson } from "../../terminal/safe-json.ts";
import { plainText } from "../../text/plain-text.ts";

/** Text that is already HTML, which `html` does not escape. */
export interface Html {
  readonly markup: string;
}

type Part = string | number | Html | readonly Html[] | undefined;

/**
 * Creates a piece of HTML. Makes inserted strings safe to display and escapes them. Inserts `Html` unchanged, and
 * nothing for undefined. Attributes in the template must be in double quotation marks.
 */
export function html(pieces: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return { markup: pieces.map((piece, at) => piece + markupOf(parts[at])).join("") };
}

function markupOf(part: Part): string {
  if (part === undefined) return "";
  if (typeof part === "number") return String(part);
  if (typeof part === "string") return escaped(plainText(part, MAX_TEXT_LENGTH));
  return "markup" in part ? part.markup : part.map(({ markup }) => markup).join("");
}

const MAX_TEXT_LENGTH = 2000;

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? "");
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Creates a script element that contains data and is never run. No text in the data can close the element. */
export function dataElement(id: string, data: object): Html {
  const json = printableJson(data).replaceAll("<", String.raw`\u003c`);
  return { markup: `<script type="application/json" id="${escaped(id)}">${json}</script>` };
}

export interface PageTable {
  readonly id: string;
  /** Id of the heading of the section that contains the table. */
  readonly of?: string;
  readonly title: string;
  readonly note?: string;
  /** A column without a kind contains the heading of each row. */
  readonly columns: readonly { readonly name: string; readonly kind?: "number" | "hash" | "plain" }[];
  readonly rows: readonly (readonly string[])[];
}

export function pageTable({ id, of, title, note, columns, rows }: PageTable): Html {
  const cell = (text: string, at: number): Html => {
    const kind = columns[at]?.kind;
    if (kind === "hash") return html`<td><code class="hash">${text}</code></td>`;
    if (kind === "number") return html`<td class="number">${text}</td>`;
    return kind === "plain" ? html`<td>${text}</td>` : html`<th scope="row">${text}</th>`;
  };
  return html`<h3 id="${id}">${title}</h3>
    ${note === undefined ? undefined : html`<p class="note">${note}</p>`}
    <div class="sheet" tabindex="0" role="region" aria-labelledby="${of === undefined ? id : `${id} ${of}`}">
      <table>
        <thead>
          <tr>
            ${columns.map(({ name, kind = "text" }) => html`<th scope="col" class="${kind}">${name}</th>`)}
          </tr>
        </thead>
        <tbody>
          ${rows.map(
            (row) =>
              html`<tr>
                ${row.map(cell)}
              </tr>`,
          )}
        </tbody>
      </table>
    </div>`;
}

export function numberColumns(names: readonly string[]): PageTable["columns"] {
  return names.map((name) => ({ name, kind: "number" }));
}

/** Omits entries whose value is undefined or empty. */
export function factsList(entries: readonly (readonly [name: string, value: string | undefined])[]): Html {
  const known = entries.filter(([, value]) => value !== undefined && value !== "");
  return html`<dl class="facts">
    ${known.map(
      ([name, value]) =>
        html`<div>
          <dt>${name}</dt>
          <dd>${value}</dd>
        </div>`,
    )}
  </dl> `;
}
