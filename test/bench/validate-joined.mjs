// `migrate validate` of accounts joined with customers and meter points from separate files, with the contract of the
// fixtures.
//   npm run build && node test/bench/validate-joined.mjs [--accounts 200000] [--runs 3]
// There are five customers for every four accounts, and two meter points per account. There are two cases: unsorted
// files, which are joined through an index on disk, and files sorted by account number, which are merged. Prints median
// wall time, CPU time and peak memory. The rows are deterministic.
import path from "node:path";
import { parseArgs } from "node:util";
import { joinedFiles, joinedSources, writeJoinedFiles } from "./joined-rows.mjs";
import { benchFile, count, machine, mb, medians, migrate, root, say, seconds, withFolder } from "./measure.mjs";

const { values: options } = parseArgs({
  options: { accounts: { type: "string", default: "200000" }, runs: { type: "string", default: "3" } },
});
const accounts = Number(options.accounts);
const files = joinedFiles(accounts);

await withFolder(async (folder) => {
  say(`validate, joined: ${files.map(({ name, rows }) => `${count(rows)} ${name}`).join(", ")}; ${machine()}`);
  for (const order of ["unsorted", "sorted"]) {
    const size = await writeJoinedFiles(folder, files, { sorted: order === "sorted" });
    const { wallMs, cpuMs = 0, peakMb } = await medians(Number(options.runs), () => measureValidate(folder));
    say(`${order}, ${mb(size)}: ${seconds(wallMs)}, ${seconds(cpuMs)} of CPU time, ${mb(peakMb)} at peak`);
  }
});

async function measureValidate(folder) {
  const contract = ["--contract", path.join(root, "fixtures/contract/contract.yaml")];
  const args = [
    "validate",
    ...contract,
    "--mapping",
    benchFile("joined-mapping.yaml"),
    ...joinedSources(folder, files),
  ];
  const run = await migrate(args, { env: { TMPDIR: folder } });
  const said = run.stdout + run.stderr;
  if (!said.includes(`${count(accounts)} records`)) throw new Error(`not all accounts were read:\n${said}`);
  return run;
}
