import type { JSX } from "preact";
import { counted } from "../../../../text/count.ts";
import type { OutdatedCorrections, Refusal } from "../../../fix/fix-types.ts";
import { Notice } from "../../parts/notice.tsx";

/** Cells that the last edit has not changed, and why. */
export function Refusals({ refusals }: { readonly refusals: readonly Refusal[] }): JSX.Element | null {
  if (refusals.length === 0) return null;
  return (
    <Notice kind="error">
      <p class="notice-title">{refusals.length === 1 ? "A cell was not changed" : "Some cells were not changed"}</p>
      <ul>
        {refusals.map(({ key, column, message }, index) => (
          <li key={index}>
            {column} of {key || "a row without a key"}: {message}
          </li>
        ))}
      </ul>
    </Notice>
  );
}

interface OutdatedOptions {
  readonly outdated: OutdatedCorrections;
  readonly file: string;
}

/** Corrections that are not applied, because the extract has changed since. */
export function Outdated({ outdated, file }: OutdatedOptions): JSX.Element | null {
  if (outdated.count === 0) return null;
  return (
    <Notice kind="info">
      <p class="notice-title">
        {counted(outdated.count, "correction")} of {file} not applied: the cells have changed since
      </p>
      <details>
        <summary>Check which value is right, then edit the cell again</summary>
        <ul>
          {outdated.listed.map(({ line, key, column, place }) => (
            <li key={line}>
              {column} of {key} {place !== "" && `(${place})`}
            </li>
          ))}
        </ul>
      </details>
    </Notice>
  );
}
