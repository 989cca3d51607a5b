import type { JSX } from "preact";
import { counted, formatCount } from "../../../../text/count.ts";
import { ALL_CAUSES, type FixCause } from "../../../fix/fix-types.ts";

interface CauseListOptions {
  readonly causes: readonly FixCause[];
  readonly chosen: number;
  readonly onChoose: (cause: number) => void;
}

/** Lists the causes, each with the number of rows that it still affects. */
export function CauseList({ causes, chosen, onChoose }: CauseListOptions): JSX.Element {
  return (
    <nav aria-label="Causes" class="fix-causes">
      <h2>Causes</h2>
      <ul>
        {causes.map((cause) => (
          <li key={cause.id}>
            <button type="button" aria-pressed={cause.id === chosen} onClick={() => onChoose(cause.id)}>
              <span class="fix-cause-title">{cause.title}</span>
              {cause.id !== ALL_CAUSES && (
                <span class="soft">
                  {cause.by === "platform" && "The platform: "}
                  {cause.code} {cause.attr}
                </span>
              )}
              <Progress cause={cause} />
            </button>
          </li>
        ))}
      </ul>
    </nav>
  );
}

function Progress({ cause: { rows } }: { readonly cause: FixCause }): JSX.Element {
  const all = rows.reduce((sum, each) => sum + each.rows, 0);
  const open = rows.reduce((sum, each) => sum + each.open, 0);
  return (
    <span class={open === 0 ? "fix-done" : "soft"}>
      {open === 0 ? `✓ all ${formatCount(all)} fixed` : `${formatCount(open)} of ${counted(all, "row")} open`}
    </span>
  );
}
