import type { Origin } from "../map/mapping.ts";
import { formatPlace } from "../model/place.ts";
import { shapeOf } from "../model/shape.ts";
import { renderTable } from "../report/table.ts";
import type { Screen } from "../run/parts.ts";

/** Each value of a payload with the cell it comes from; its shape, unless values may be shown. */
export function originTable(origins: readonly Origin[], screen: Screen, showValues: boolean): string {
  const rows = origins.map(({ attr, value, from, place }) => [
    attr,
    showValues ? JSON.stringify(value) : shapeOf(value),
    place === undefined ? from : formatPlace(place) + (from === "column" || from === "payload" ? "" : ` (${from})`),
  ]);
  return renderTable(rows, [{ title: "attr" }, { title: showValues ? "value" : "shape" }, { title: "from" }], screen);
}

/** The same as data: values only when they may be shown. */
export function originData(origins: readonly Origin[], showValues: boolean): readonly object[] {
  return origins.map(({ value, ...origin }) => ({
    ...origin,
    ...(showValues ? { value } : { shape: shapeOf(value) }),
  }));
}
