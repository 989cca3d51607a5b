/** Starts threads from the built modules, because a thread cannot run TypeScript. */
export const builtThreads = {
  name: "built-threads",
  transform: (code: string, id: string): string | undefined => {
    const [, folder] = /\/src\/(.*)\/[^/]+\.ts$/.exec(id) ?? [];
    if (folder === undefined || !code.includes("-worker.js")) return undefined;
    const built = new URL(`../dist/${folder}/`, import.meta.url).href;
    return code.replaceAll(/new URL\("\.\/([a-z-]+-worker\.js)", import\.meta\.url\)/g, `new URL("${built}$1")`);
  },
};
