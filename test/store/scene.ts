import type { StoreOptions } from "../../src/store/open-store.ts";

/** Returns the options for a store at this location, without credentials, and with retries that do not wait. */
export function storeOptions(more: Partial<StoreOptions> & Pick<StoreOptions, "location">): StoreOptions {
  return {
    connections: 4,
    allowInsecureLoopback: false,
    credentials: async () => undefined,
    userAgent: "test",
    clock: { now: Date.now, monotonic: performance.now.bind(performance), sleep: async () => undefined },
    random: () => 0.5,
    ...more,
  };
}
