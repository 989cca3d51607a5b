// Uses the library. Once the event loop is empty, tells the parent process which resources remain, and which
// environment variables were read.
//   node quiet-program.mjs <folder with an extract>
import { readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { push, report, resume, startSandbox, status, validate } from "energy-migrate";

const [folder] = process.argv.slice(2);
const EVENTS = ["exit", "SIGINT", "SIGTERM", "SIGHUP", "uncaughtException", "unhandledRejection", "warning"];
const surroundings = () => ({
  cwd: process.cwd(),
  umask: process.umask(),
  listeners: EVENTS.map((name) => [name, process.listenerCount(name)]),
});
const variables = new Set();
process.env = new Proxy(process.env, {
  get: (all, name) => {
    if (typeof name === "string") variables.add(name);
    return Reflect.get(all, name);
  },
});

const counts = [];
let before;

async function work() {
  before = surroundings();
  const sandbox = await startSandbox();
  const { contract, target, credentials, supplier } = sandbox;
  const job = { folder, contract, mapping: "mapping.yaml", supplier };
  for (const mapping of ["mapping.yaml", "flat.yaml"]) {
    const checked = await validate({ ...job, mapping, threads: 2 });
    counts.push(checked.summary.counts);
    await checked.close();
  }

  const stop = new AbortController();
  const onProgress = ({ sending }) => sending && stop.abort();
  counts.push((await push({ ...job, target, credentials, signal: stop.signal, onProgress })).exitCode);
  counts.push((await resume({ folder, credentials })).summary.counts);
  await Promise.all(
    Array.from({ length: 12 }, (_, index) =>
      push({ ...job, target, credentials, ledger: `${index}.db`, dryRun: true }),
    ),
  );
  await status({ folder });
  await report({ folder });
  await validate({ ...job, contract: "nowhere.yaml" }).catch(({ code }) => counts.push(code));
  await push({ ...job, target, ledger: "other.db" }).catch(({ code }) => counts.push(code));
  await sandbox.close();
}

// Node.js adds its own exit listener before the last `await` of a module.
setImmediate(work);
process.once("beforeExit", () => {
  const [after, left] = [surroundings(), { files: readdirSync(tmpdir()), resources: process.getActiveResourcesInfo() }];
  process.send?.({ counts, before, after, left, variables: [...variables] });
});
