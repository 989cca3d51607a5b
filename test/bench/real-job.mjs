// `migrate validate` and `migrate push` of a realistic job: households joined from three files, with an operator's
// published document and the overlay with all its rules. Compared with a script that a user could write
// (plain-validate.mjs).
//   npm run build && node test/bench/real-job.mjs [--operator gb,au] [--accounts 30000] [--runs 3]
//     [--threads 1,2,auto] [--push 5000] [--latency-ms 0] [--no-validate] [--contracts ../shared/contracts]
// The rows are those of fixtures/operators, repeated with other values (operator-rows.mjs). One input is valid, and the
// other has an error in every twentieth account. The compared commands run in turn. Prints wall time, CPU time
// per account, peak memory, and the ratio to the script. The figures of `validate` are the lowest of all runs, because
// other load on the machine only adds to them. Those of `push` are medians.
// --push: the number of accounts that pass all steps of the workflow (validate, stage, process); 0 omits this part. The
// server (bare-server.mjs) replies immediately, or after --latency-ms. The push is compared with a script without a
// ledger (plain-workflow.mjs).
import { existsSync, rmSync } from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";
import {
  benchFile,
  count,
  machine,
  mb,
  measured,
  medians,
  migrate,
  root,
  say,
  seconds,
  withFolder,
} from "./measure.mjs";
import { writeOperatorRows } from "./operator-rows.mjs";
import { startServer } from "./running-server.mjs";

const { values: options } = parseArgs({
  options: {
    operator: { type: "string", default: "gb,au" },
    accounts: { type: "string", default: "30000" },
    runs: { type: "string", default: "3" },
    threads: { type: "string", default: "1,2,auto" },
    push: { type: "string", default: "5000" },
    "latency-ms": { type: "string", default: "0" },
    "no-validate": { type: "boolean", default: false },
    contracts: { type: "string", default: path.join(root, "../shared/contracts") },
  },
});
const accounts = Number(options.accounts);
const runs = Number(options.runs);
const pushed = Number(options.push);
const latencyMs = Number(options["latency-ms"]);
const CONCURRENCY = 32;
const SUPPLIERS = { gb: "EDF", au: "ORIGIN" };
/** In the input with errors, one in this number of accounts has an error. */
const WRONG = 20;

await withFolder(async (folder) => {
  say(`realistic job, ${count(accounts)} accounts; ${machine()}`);
  for (const operator of options.operator.split(",")) {
    const document = path.join(options.contracts, `${operator}-data-import.openapi.yml`);
    if (!existsSync(document)) {
      say(`${operator}: ${document} does not exist; set its folder with --contracts`);
      continue;
    }
    const job = { operator, document, folder };
    for (const wrong of options["no-validate"] ? [] : [Infinity, WRONG]) {
      job.files = await writeOperatorRows(folder, operator, accounts, wrong);
      await compareValidate(job, wrong);
    }
    if (pushed === 0) continue;
    job.files = await writeOperatorRows(folder, operator, pushed);
    await measurePush(job);
  }
});

/** Alternates between the script and `migrate validate` with each number of threads. */
async function compareValidate(job, wrong) {
  const threadCounts = options.threads.split(",");
  const found = new Map(["script", ...threadCounts].map((name) => [name, []]));
  for (let run = 0; run < runs; run += 1) {
    found.get("script").push(await plainValidate(job));
    for (const threads of threadCounts) found.get(threads).push(await validate(job, wrong, threads));
  }
  const script = lowest(found.get("script"));
  say(`${job.operator}, ${wrong === Infinity ? "valid" : "5% with errors"}`);
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
  return `${((cpuMs * 1000) / number).toFixed(0)} us of CPU time per account`;
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
  if (!said.includes(`${count(valid)}  valid`))
    throw new Error(`the number of valid accounts is not ${count(valid)}:\n${said}`);
  return run;
}

/** Alternates between the script and `migrate push`. The ratios are medians over the pairs. */
async function measurePush(job) {
  const scripts = [];
  const ours = await medians(runs, async () => {
    const theirs = await plainWorkflow(job);
    const { wallMs, cpuMs, peakMb } = await push(job);
    scripts.push(theirs);
    return { wallMs, cpuMs, peakMb, ratio: cpuMs / theirs.cpuMs, ratioToSending: cpuMs / theirs.sendingCpuMs };
  });
  const script = await medians(runs, (run) => scripts[run]);
  say(`${job.operator}, ${count(pushed)} accounts, three requests each, ${CONCURRENCY} in flight, medians`);
  const sending = `${perAccount(script.sendingCpuMs, pushed)} of it for sending alone`;
  say(`  script:       ${pushFigures(script)}; ${sending}`);
  const ratios = `migrate / script: ${ours.ratio.toFixed(2)}, sending alone: ${ours.ratioToSending.toFixed(2)}`;
  say(`  migrate push: ${pushFigures(ours)}; CPU time, ${ratios}`);
}

function pushFigures({ wallMs, cpuMs, peakMb }) {
  return `${seconds(wallMs)}, ${perAccount(cpuMs, pushed)}, ${mb(peakMb)}`;
}

async function plainWorkflow({ operator, folder }) {
  const server = await startServer(folder, latencyMs);
  const target = [server.baseUrl, server.ca, String(CONCURRENCY)];
  const args = [benchFile("plain-workflow.mjs"), operator, folder, SUPPLIERS[operator], ...target];
  const { wallMs, cpuMs, peakMb, stdout } = await measured(process.execPath, args);
  requireAllRequests(await server.stop());
  return { wallMs, cpuMs, peakMb, sendingCpuMs: JSON.parse(stdout).sendingCpuMs };
}

async function push(job) {
  const { folder } = job;
  const server = await startServer(folder, latencyMs);
  const target = ["--base-url", server.baseUrl, "--ca", server.ca, "--concurrency", String(CONCURRENCY)];
  const state = path.join(folder, "state");
  const args = ["push", ...jobArguments(job), ...target, "--ledger", path.join(state, "ledger.db"), "--yes", "--quiet"];
  const run = await migrate(args, { env: { MIGRATE_TOKEN: "bench", TMPDIR: folder } });
  requireAllRequests(await server.stop());
  rmSync(state, { recursive: true });
  return run;
}

function requireAllRequests({ requests }) {
  if (requests !== 3 * pushed) throw new Error(`the server received ${requests} requests instead of ${3 * pushed}`);
}
