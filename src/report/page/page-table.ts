import { html, type Html } from "./html.ts";

export interface PageTable {
  readonly id: string;
  /** Id of the heading of the run that the table belongs to. */
  readonly of?: string;
  readonly title: string;
  readonly note?: string;
  /** A column without a kind contains the heading of each row. */
  readonly columns: readonly { readonly name: string; readonly kind?: "number" | "hash" | "plain" }[];
  readonly rows: readonly (readonly string[])[];
}

/** Renders a heading and a scrollable table. */
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
