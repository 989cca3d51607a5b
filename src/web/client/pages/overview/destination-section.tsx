import type { JSX } from "preact";
import { useId } from "preact/hooks";
import { counted, formatCount } from "../../../../text/count.ts";
import type { DestinationData } from "../../../overview/overview-data.ts";
import { StateBar, StateList } from "../../parts/states.tsx";

/**
 * Shows the records of one destination by state, and a chart with the number of records not yet accepted on each day.
 */
export function DestinationSection({ destination }: { readonly destination: DestinationData }): JSX.Element {
  const { target, supplier, operation, records, states, left, withoutKey } = destination;
  const id = useId();
  return (
    <section class="card destination-card" aria-labelledby={id}>
      <div>
        <h2 id={id}>
          {operation}{" "}
          <span class="soft">to {[target, supplier].filter((part) => part !== "").join(", supplier ")}</span>
        </h2>
        <p class="big-number">
          {formatCount(states["accepted"] ?? 0)} <span class="soft">of {counted(records, "record")} accepted</span>
        </p>
        <StateBar states={states} records={records} />
        <StateList states={states} records={records} />
        {withoutKey > 0 && (
          <p class="note">
            {counted(withoutKey, "row")} without a key {withoutKey === 1 ? "is" : "are"} not counted here.
          </p>
        )}
      </div>
      {left.length > 0 && <BurnDown destination={destination} />}
    </section>
  );
}

const HEIGHT = 10;

/**
 * Draws one column per day for the number of records not yet accepted. The first column shows the number before the
 * first day.
 */
function BurnDown({ destination: { records, left } }: { readonly destination: DestinationData }): JSX.Element {
  const [first, last] = [left[0]?.day ?? "", left.at(-1)];
  const before = `before ${first}`;
  const columns = [{ day: before, records }, ...left];
  const text = `${formatCount(records)} ${before}, ${formatCount(last?.records ?? 0)} after ${last?.day ?? ""}`;
  return (
    <div>
      <h3>Not yet accepted</h3>
      <svg
        class="burn-down"
        viewBox={`0 0 ${columns.length} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`Records not yet accepted, by day: ${text}`}
      >
        {columns.map(({ day, records: open }, at) => {
          const height = records === 0 ? 0 : (HEIGHT * open) / records;
          return (
            <rect key={day} class="fill-idle" x={at + 0.06} y={HEIGHT - height} width="0.88" height={height}>
              <title>{`${day}: ${formatCount(open)} not yet accepted`}</title>
            </rect>
          );
        })}
      </svg>
      <p class="axis">
        <span>{before}</span>
        <span>{last?.day}</span>
      </p>
      <p class="soft">{text}</p>
    </div>
  );
}
