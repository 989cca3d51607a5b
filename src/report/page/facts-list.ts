import { html, type Html } from "./html.ts";

/** Renders facts as a list of names and values. Omits unknown values. */
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
