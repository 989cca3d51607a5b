import type { Origin } from "../map/mapping.ts";
import { formatPlace } from "../model/place.ts";
import { shapeOf } from "../model/shape.ts";
import { plainText } from "../report/plain-text.ts";

/** Each value of a payload, and below it where it comes from; its shape only, unless values may be shown. */
export function originText(origins: readonly Origin[], showValues: boolean): string {
  return origins
    .map((origin) => {
      const shown = showValues ? JSON.stringify(origin.value) : shapeOf(origin.value);
      return `  ${plainText(origin.attr)}\n      ${plainText(shown)}  ${plainText(sourceOf(origin))}\n`;
    })
    .join("");
}

/** The same as data: values only when they may be shown. */
export function originData(origins: readonly Origin[], showValues: boolean): readonly object[] {
  return origins.map(({ value, ...origin }) => ({
    ...origin,
    ...(showValues ? { value } : { shape: shapeOf(value) }),
  }));
}

function sourceOf({ from, place }: Origin): string {
  if (place === undefined) return `(${from})`;
  const how = from === "column" || from === "payload" ? "" : ` (${from})`;
  return `from ${formatPlace(place)}${how}`;
}
