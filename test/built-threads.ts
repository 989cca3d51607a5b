const built = new URL("../dist/program/", import.meta.url).href;

/** A Vite plugin. Makes tests start threads from the built program, because a thread cannot run TypeScript. */
export const builtThreads = {
  name: "built-threads",
  transform: (code: string, id: string): string | undefined => {
    if (!/\/src\/.*\.ts$/.test(id) || !code.includes("-worker.js")) return undefined;
    return code.replaceAll(/new URL\("\.\/([a-z-]+-worker\.js)", import\.meta\.url\)/g, `new URL("${built}$1")`);
  },
};
