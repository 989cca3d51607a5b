import type { JSX } from "preact";
import { formatCount, plural } from "../../../../text/count.ts";
import type { CauseData } from "../../../problems/problems-data.ts";

interface ListOptions {
  readonly causes: readonly CauseData[];
  readonly chosen: string | undefined;
  readonly onChoose: (cause: string) => void;
}

/** Lists the causes, each with a bar for its number of records. */
export function CauseList({ causes, chosen, onChoose }: ListOptions): JSX.Element {
  const most = Math.max(1, ...causes.map(({ records }) => records));
  return (
    <nav aria-label="Causes">
      <ol class="cause-list">
        {causes.map(({ id, title, attr, by, records }) => (
          <li key={id}>
            <button type="button" aria-current={id === chosen ? "true" : undefined} onClick={() => onChoose(id)}>
              <span class="cause-title">
                {title}
                <span class="soft">
                  {attr}
                  {by === "platform" && " · found by the platform"}
                </span>
              </span>
              <span class="number">
                {formatCount(records)}
                <span class="quiet"> {plural(records, "record")}</span>
              </span>
              <svg class="cause-bar" height="6" aria-hidden="true">
                <rect class="track" width="100%" height="6" rx="3" />
                <rect
                  class={by === "platform" ? "fill-refused" : by === "local" ? "fill-bad" : "fill-unsure"}
                  width={`${(100 * records) / most}%`}
                  height="6"
                  rx="3"
                />
              </svg>
            </button>
          </li>
        ))}
      </ol>
    </nav>
  );
}
