import { createRequire } from "node:module";
import type * as Polyfill from "temporal-polyfill";

let polyfill: typeof Polyfill | undefined;

/** Returns `Temporal`, for times in time zones. Loads it on first use, because most commands do not need it. */
export function temporal(): typeof Polyfill.Temporal {
  const load = createRequire(import.meta.url);
  const loaded: typeof Polyfill = (polyfill ??= load("temporal-polyfill"));
  return loaded.Temporal;
}
