// `migrate validate` and `migrate push` of a realistic job: households joined from three files, the published
// document of an operator, its overlay with all rules. Compared with a script that a user would write (plain-validate.mjs).
//   npm run build && node test/bench/real-job.mjs [--operator gb,au] [--accounts 30000] [--runs 3] [--threads 1,2,auto]
//     [--push 3000] [--contracts ../shared/contracts]
// The rows are those of fixtures/operators, repeated with other values (operator-rows.mjs): once valid, and once with an
// error in every twentieth account. The compared runs alternate. Prints wall time, processor time per account (the lowest of
// all runs, because load on the machine only adds to it), peak memory, and the ratio to the script.
// --push: the number of accounts that pass all steps of the workflow against `migrate sandbox` on loopback; 0 omits this
// part. The sandbox validates every request, so only the processor time of the push is meaningful.
import { spawn } from "node:child_process";
import { existsSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";
import {
  benchFile,
  binary,
  count,
  machine,
  mb,
  measured,
  migrate,
  root,
  say,
  seconds,
  withFolder,
} from "./measure.mjs";
import { writeOperatorRows } from "./operator-rows.mjs";

const { values: options } = parseArgs({
  options: {
    operator: { type: "string", default: "gb,au" },
    accounts: { type: "string", default: "30000" },
    runs: { type: "string", default: "3" },
    threads: { type: "string", default: "1,2,auto" },
    push: { type: "string", default: "3000" },
    contracts: { type: "string", default: path.join(root, "../shared/contracts") },
  },
});
const accounts = Number(options.accounts);
const runs = Number(options.runs);
const pushed = Number(options.push);
const SUPPLIERS = { gb: "EDF", au: "ORIGIN" };
/** One in this number of accounts has an error in the input with errors. */
const WRONG = 20;

await withFolder(async (folder) => {
  say(`realistic job, ${count(accounts)} accounts; ${machine()}`);
  for (const operator of options.operator.split(",")) {
    const document = path.join(options.contracts, `${operator}-data-import.openapi.yml`);
    if (!existsSync(document)) {
      say(`${operator}: there is no ${document}; use --contracts`);
      continue;
    }
    const job = { operator, document, folder };
    for (const wrong of [Infinity, WRONG]) {
      job.files = await writeOperatorRows(folder, operator, accounts, wrong);
      await compareValidate(job, wrong);
    }
    if (pushed === 0) continue;
    job.files = await writeOperatorRows(folder, operator, pushed);
    await measurePush(job);
  }
});

/** Alternates the script and `migrate validate` with each number of threads. */
async function compareValidate(job, wrong) {
  const threadCounts = options.threads.split(",");
  const found = new Map(["script", ...threadCounts].map((name) => [name, []]));
  for (let run = 0; run < runs; run += 1) {
    found.get("script").push(await plainValidate(job));
    for (const threads of threadCounts) found.get(threads).push(await validate(job, wrong, threads));
  }
  const script = lowest(found.get("script"));
  say(`${job.operator}, ${wrong === Infinity ? "valid" : "5 % with errors"}`);
  say(`  script:              ${figures(script)}`);
  for (const threads of threadCounts) {
    const ours = lowest(found.get(threads));
    const ratio = `script / migrate: ${(script.wallMs / ours.wallMs).toFixed(2)} (wall)`;
    say(`  migrate, ${`${threads} threads:`.padEnd(12)}${figures(ours)}; ${ratio}`);
  }
}

function lowest(results) {
  const of = (name) => Math.min(...results.map((result) => result[name] ?? NaN));
  return { wallMs: of("wallMs"), cpuMs: of("cpuMs"), peakMb: of("peakMb") };
}

function figures({ wallMs, cpuMs, peakMb }) {
  return `${seconds(wallMs)}, ${perAccount(cpuMs, accounts)}, ${mb(peakMb)}`;
}

function perAccount(cpuMs, number) {
  return `${((cpuMs * 1000) / number).toFixed(0)} us of processor time per account`;
}

async function plainValidate({ operator, folder, document }) {
  return measured(process.execPath, [benchFile("plain-validate.mjs"), operator, folder, document, SUPPLIERS[operator]]);
}

function jobArguments({ operator, folder, document, files }) {
  const mapping = path.join(root, "fixtures/operators", operator, "mapping.yaml");
  const contract = ["--contract", document, "--contract", `overlay:${operator}`, "--mapping", mapping];
  const sources = files.flatMap((name) => ["--source", `${name}=${path.join(folder, `${name}.csv`)}`]);
  return [...contract, ...sources, "--supplier", SUPPLIERS[operator]];
}

async function validate(job, wrong, threads) {
  const env = { TMPDIR: job.folder };
  const run = await migrate(["validate", ...jobArguments(job), "--threads", threads], { env, codes: [0, 1] });
  const said = run.stdout + run.stderr;
  const valid = accounts - (wrong === Infinity ? 0 : Math.floor(accounts / wrong));
  if (!said.includes(`${count(valid)}  valid`)) throw new Error(`not ${count(valid)} accounts are valid:\n${said}`);
  return run;
}

async function measurePush(job) {
  const { folder, operator } = job;
  const sandbox = await startSandbox(job);
  const target = ["--base-url", sandbox.baseUrl, "--ca", sandbox.ca, "--concurrency", "32"];
  const state = path.join(folder, "state");
  const args = ["push", ...jobArguments(job), ...target, "--ledger", path.join(state, "ledger.db"), "--yes", "--quiet"];
  const results = [];
  for (let run = 0; run < 1; run += 1) {
    results.push(await migrate(args, { env: { MIGRATE_API_KEY: sandbox.apiKey, TMPDIR: folder } }));
    rmSync(state, { recursive: true });
  }
  await sandbox.stop();
  const { wallMs, cpuMs, peakMb } = lowest(results);
  const figure = `${seconds(wallMs)}, ${perAccount(cpuMs, pushed)}, ${mb(peakMb)}`;
  say(`${operator}, push of ${count(pushed)} accounts, all steps, 32 in flight: ${figure}`);
}

async function startSandbox({ operator, document, folder }) {
  const ready = path.join(folder, "sandbox.json");
  const args = ["sandbox", "--port", "0", "--ready-file", ready, "--contract", document, "--contract"];
  const child = spawn(process.execPath, [binary, ...args, `overlay:${operator}`], { stdio: "ignore" });
  const kill = () => child.kill("SIGKILL");
  process.once("exit", kill);
  for (let waited = 0; !existsSync(ready); waited += 50) {
    if (waited > 60_000 || child.exitCode !== null) throw new Error("the sandbox does not start");
    await delay(50);
  }
  const stop = async () => {
    const closed = new Promise((resolve) => child.once("close", resolve));
    child.kill("SIGTERM");
    await closed;
    rmSync(ready);
    process.off("exit", kill);
  };
  return { ...JSON.parse(readFileSync(ready, "utf8")), stop };
}
