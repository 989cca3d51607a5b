import { createRequire } from "node:module";
import type * as Polyfill from "temporal-polyfill";

let polyfill: typeof Polyfill | undefined;

/** Times in zones. Loaded where the first one is asked for: most commands know of none. */
export function temporal(): typeof Polyfill.Temporal {
  polyfill ??= loadPolyfill();
  return polyfill.Temporal;
}

function loadPolyfill(): typeof Polyfill {
  const load = createRequire(import.meta.url);
  return load("temporal-polyfill");
}
