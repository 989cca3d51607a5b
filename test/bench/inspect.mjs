// Cost of inspecting a push of joined files with `status`, `explain`, `preview --only` and `report`, compared with
// `validate` of the same input.
//   npm run build && node test/bench/inspect.mjs [--accounts 100000] [--runs 3]
// Every fiftieth account is invalid, so that the report has rejects. The platform is a bare HTTPS server on loopback.
// Prints median wall time, CPU time, and CPU time relative to `validate`.
import path from "node:path";
import { parseArgs } from "node:util";
import { joinedFiles, joinedSources, reference, writeJoinedFiles } from "./joined-rows.mjs";
import { benchFile, count, machine, medians, migrate, root, say, seconds, withFolder } from "./measure.mjs";
import { startServer } from "./running-server.mjs";

const { values: options } = parseArgs({
  options: { accounts: { type: "string", default: "100000" }, runs: { type: "string", default: "3" } },
});
const accounts = Number(options.accounts);
const files = joinedFiles(accounts, { wrong: 50 });

await withFolder(async (folder) => {
  say(`inspecting a push of ${count(accounts)} joined accounts; ${machine()}`);
  await writeJoinedFiles(folder, files);
  const contract = ["--contract", path.join(root, "fixtures/contract/contract.yaml")];
  const job = [...contract, "--mapping", benchFile("joined-mapping.yaml"), ...joinedSources(folder, files)];
  const ledger = ["--ledger", path.join(folder, "state/ledger.db")];
  const env = { TMPDIR: folder, MIGRATE_TOKEN: "bench" };
  const server = await startServer(folder, 0);
  const target = ["--base-url", server.baseUrl, "--ca", server.ca, "--concurrency", "32"];
  await migrate(["push", ...job, ...target, ...ledger, "--quiet"], { env, codes: [1] });
  await server.stop();
  const out = ["--out", path.join(folder, "report"), "--quiet"];
  const commands = [
    { name: "validate", args: ["validate", ...job, ...out] },
    { name: "status", args: ["status", ...ledger] },
    { name: "explain, a record in the middle", args: ["explain", reference(accounts / 2), ...ledger] },
    { name: "preview --only, the same record", args: ["preview", ...job, "--only", reference(accounts / 2)] },
    { name: "report", args: ["report", ...ledger, ...out] },
  ];
  let whole;
  for (const { name, args } of commands) {
    const { wallMs, cpuMs = 0 } = await medians(Number(options.runs), () => migrate(args, { env, codes: [0, 1] }));
    whole ??= cpuMs;
    say(`${name}: ${seconds(wallMs)}, ${seconds(cpuMs)} of CPU time, ${Math.round((100 * cpuMs) / whole)}%`);
  }
});
