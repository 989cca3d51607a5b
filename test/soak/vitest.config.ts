import { defineConfig } from "vitest/config";
import { builtThreads } from "../built-threads.ts";

export default defineConfig({
  plugins: [builtThreads],
  test: {
    root: new URL("../..", import.meta.url).pathname,
    include: ["test/soak/*.soak.ts"],
    reporters: ["default"],
    testTimeout: 24 * 3_600_000,
    hookTimeout: 600_000,
  },
});
