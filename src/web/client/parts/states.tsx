import type { JSX } from "preact";
import { recordStateText } from "../../../model/migration-report.ts";
import { toneOf } from "../../../model/status-tone.ts";
import { formatCount, percent } from "../../../text/count.ts";

interface States {
  /** Numbers of records by state. */
  readonly states: Readonly<Partial<Record<string, number>>>;
  readonly records: number;
}

function present(states: States["states"]): readonly (readonly [string, number])[] {
  return Object.entries(states).flatMap(([state, count = 0]) => (count > 0 ? [[state, count] as const] : []));
}

/** Shows a bar with a segment for each state. `StateList` shows the same numbers as text. */
export function StateBar({ states, records }: States): JSX.Element {
  let from = 0;
  return (
    <svg class="state-bar" viewBox={`0 0 ${Math.max(records, 1)} 10`} preserveAspectRatio="none" aria-hidden="true">
      {present(states).map(([state, count]) => {
        const part = <rect key={state} class={`fill-${toneOf(state)}`} x={from} y="0" width={count} height="10" />;
        from += count;
        return part;
      })}
    </svg>
  );
}

export function StateList({ states, records }: States): JSX.Element {
  return (
    <ul class="state-list">
      {present(states).map(([state, count]) => (
        <li key={state}>
          <svg class="swatch" viewBox="0 0 10 10" aria-hidden="true">
            <rect class={`fill-${toneOf(state)}`} width="10" height="10" rx="3" />
          </svg>
          <strong>{formatCount(count)}</strong> {recordStateText(state)}{" "}
          <span class="soft">{percent(count, records)}</span>
        </li>
      ))}
    </ul>
  );
}

/** Formats counts as `197 accepted, 7 rejected`. */
export function countsText(counts: States["states"]): string {
  return present(counts)
    .map(([state, count]) => `${formatCount(count)} ${recordStateText(state)}`)
    .join(", ");
}
