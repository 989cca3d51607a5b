import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    root: new URL("../..", import.meta.url).pathname,
    include: ["test/soak/*.soak.ts"],
    reporters: ["default"],
    testTimeout: 24 * 3_600_000,
    hookTimeout: 600_000,
  },
});
