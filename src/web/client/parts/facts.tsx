import type { ComponentChildren, JSX } from "preact";

/** Lists names and values. Omits undefined values. */
export function Facts({
  facts,
}: {
  readonly facts: readonly (readonly [string, ComponentChildren | undefined])[];
}): JSX.Element {
  return (
    <dl class="facts">
      {facts.map(([name, value]) =>
        value === undefined ? undefined : (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ),
      )}
    </dl>
  );
}
