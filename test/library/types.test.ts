import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, symlinkSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { projectFile } from "../e2e/cli.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const PROGRAM = `
import { Failure, outcomes, push, resume, startSandbox, status, validate } from "energy-migrate";
import type { ExitCode, FailureCode, PushOptions, RecordOutcome, RunProgress, StopSignal } from "energy-migrate";

export async function migrate(signal: StopSignal): Promise<ExitCode> {
  const { contract, target, credentials, supplier, close } = await startSandbox({ faults: { throttle: { every: 10 } } });
  const options: PushOptions = { contract, target, credentials, supplier, signal, pace: { concurrency: 4 } };
  const onProgress = ({ sending }: RunProgress): number => sending?.perSecond ?? 0;
  try {
    const { exitCode } = await push({ ...options, onProgress });
    const accounts: string[] = [];
    for await (const { account = "" } of outcomes({ statuses: ["accepted"] })) accounts.push(account);
    const [latest] = (await status()).runs;
    await resume({ run: latest?.id, allowProduction: true });
    return exitCode;
  } catch (error) {
    const code: FailureCode | undefined = error instanceof Failure ? error.code : undefined;
    return code === "ledger_in_use" ? 7 : 2;
  } finally {
    await close();
  }
}

export const first = async (contract: string): Promise<RecordOutcome | undefined> => {
  const result = await validate({ contract, maxErrors: { share: 0.1 } });
  for await (const outcome of result.outcomes()) return outcome;
  await result.close();
  return undefined;
};

// @ts-expect-error: a target must name its environment
void push({ contract: "c.yaml", target: { baseUrl: "https://platform/v1/" } });
// @ts-expect-error: a ledger cannot be written without its lock
export { openLedger } from "energy-migrate";
`;

test.each([
  ["node16", "node16"],
  ["nodenext", "nodenext"],
  ["esnext", "bundler"],
])("the types do not depend on Node.js or browser types: module %s, resolved as %s", (module, way) => {
  const compilerOptions = {
    target: "es2022",
    lib: ["es2022"],
    types: [],
    module,
    moduleResolution: way,
    strict: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: false,
    noEmit: true,
  };
  const folder = temporaryFolder({
    "package.json": '{"type":"module"}',
    "program.ts": PROGRAM,
    "tsconfig.json": JSON.stringify({ compilerOptions, files: ["program.ts"] }),
  });
  mkdirSync(path.join(folder, "node_modules/energy-migrate"), { recursive: true });
  // The installed package, without any dependencies.
  for (const name of ["package.json", "dist"]) {
    symlinkSync(projectFile(name), path.join(folder, "node_modules/energy-migrate", name));
  }
  const compiler = projectFile("node_modules/typescript/bin/tsc");
  const { stdout, status } = spawnSync(process.execPath, [compiler, "-p", folder, "--preserveSymlinks"], {
    encoding: "utf8",
  });
  expect(stdout).toBe("");
  expect(status).toBe(0);
});

/** Returns the exported names of a declaration file, and the file that declares each name. */
function exportsOf(file: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const [, names = "", from = ""] of readFileSync(file, "utf8").matchAll(
    /export (?:type )?\{([^}]*)\} from "([^"]+)"/g,
  )) {
    for (const name of names.match(/\w+(?=\s*(?:,|$))/g) ?? []) found.set(name, from);
  }
  return found;
}

/** Returns the declaration of a name, without comments: from `export` to the next line that begins a declaration. */
function declarationOf(name: string, text: string): string {
  const start = text.search(new RegExp(`^export (?:declare )?(?:interface|type|function|const|class) ${name}\\b`, "m"));
  const rest = text.slice(start);
  const end = rest.slice(1).search(/^(?:export|interface|type|declare|\/\*\*)/m);
  return (end === -1 ? rest : rest.slice(0, end + 1)).replaceAll(/\/\*\*[^]*?\*\//g, "");
}

test("every type in a signature of the library is also exported", () => {
  const index = projectFile("dist/index.d.ts");
  const exported = exportsOf(index);
  expect(exported.size).toBeGreaterThan(60);
  const missing: string[] = [];
  for (const [name, from] of exported) {
    const text = readFileSync(path.join(path.dirname(index), from.replace(/\.[jt]s$/, ".d.ts")), "utf8");
    const own = [...text.matchAll(/^(?:export )?(?:declare )?(?:interface|type|class) (\w+)/gm)].map(([, one]) => one);
    const imported = [...text.matchAll(/^import (?:type )?\{([^}]*)\}/gm)].flatMap(([, names = ""]) =>
      names.split(",").map((one) => one.replace("type ", "").trim()),
    );
    const named = new Set(declarationOf(name, text).match(/\b[A-Z]\w+\b/g));
    for (const one of [...own, ...imported]) {
      if (one !== undefined && one !== name && named.has(one) && !exported.has(one)) missing.push(`${name}: ${one}`);
    }
  }
  expect(missing).toEqual([]);
});
