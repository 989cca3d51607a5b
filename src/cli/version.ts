import { createRequire } from "node:module";

/** The version in the package's own manifest. */
export function packageVersion(): string {
  const manifest: { readonly version: string } = createRequire(import.meta.url)("../../package.json");
  return manifest.version;
}
