/**
 * Corrupts two real ledgers, one closed and one left by a crash, and reads them. A corrupt ledger must be rejected or
 * return the true status of every record. Truncates the ledger file, the log left by a crash and the checksum file at
 * every byte, and changes single bytes. TMPDIR=/dev/shm is fastest.
 *
 *   node test/soak/ledger-corruption.mjs [--every <bytes>] [--flips <n>] [--repair <n>] [--seed <n>]
 *
 * `--repair` repairs every nth rejected ledger. A rejected ledger stays open until its process ends, so that its log is
 * not merged. Therefore, each process tries only 2,000 corruptions (`--from`, `--to`). Exits with 1 if a corrupt ledger
 * was misread, and prints up to 20 of these corruptions.
 */
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { closeSync, existsSync, ftruncateSync, mkdirSync, mkdtempSync, openSync, rmSync } from "node:fs";
import { readFileSync, writeFileSync, writeSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import path from "node:path";
import { parseArgs, promisify } from "node:util";
import { packItems } from "../../dist/ledger/packed/packed-items.js";
import { exportLedger } from "../../dist/ledger/sqlite/ledger-export.js";
import { checkLedger } from "../../dist/ledger/sqlite/integrity/ledger-check.js";
import { repairLedger } from "../../dist/ledger/sqlite/integrity/ledger-repair.js";
import { openLedger } from "../../dist/ledger/sqlite/sqlite-ledger.js";
import { seededRandom } from "../../dist/sandbox/faults/fault-plan.js";

const { values } = parseArgs({
  options: {
    every: { type: "string", default: "1" },
    flips: { type: "string", default: "2000" },
    repair: { type: "string", default: "25" },
    seed: { type: "string" },
    from: { type: "string" },
    to: { type: "string" },
  },
});
const every = Number(values.every);
const flips = Number(values.flips);
const repaired = Number(values.repair);
const seed = Number(values.seed ?? Date.now() % 1_000_000);

const FILES = ["ledger.db", "ledger.db-wal", "ledger.db-checksums"];
const POLICY = { revise: false, resendAmbiguous: false, keyAttr: "ref", keyColumns: new Map() };
const AT = "2026-11-20T23:41:07.000Z";
const SETTLED = ["accepted", "rejected", "ambiguous", "blocked", "pending", "accepted"];

const A_PROCESS = 2_000;

/** Statuses of records that are never sent again automatically. */
const OPEN = new Set(["ambiguous", "sending"]);

const scene = mkdtempSync(path.join(tmpdir(), "corruption-"));
process.once("exit", () => rmSync(scene, { recursive: true, force: true }));
/** @type {{ right: number, refused: number, repairs: number, misread: string[] }} */
const tally = { right: 0, refused: 0, repairs: 0, misread: [] };
const ledgers = [];
for (const crashed of [false, true])
  ledgers.push(await makeLedger(path.join(scene, crashed ? "crashed" : "closed"), crashed));
if (values.from === undefined) {
  await tryInProcesses(ledgers.reduce((sum, ledger) => sum + [...corruptions(ledger)].length, 0));
  const all = tally.right + tally.refused + tally.misread.length;
  process.stdout.write(
    `seed ${seed}: ${all} corrupt ledgers: ${tally.refused} refused, ${tally.right} right, ${tally.repairs} repaired, ${tally.misread.length} misread\n`,
  );
  for (const corruption of tally.misread.slice(0, 20)) process.stdout.write(`misread: ${corruption}\n`);
  process.exit(tally.misread.length === 0 ? 0 : 1);
}
await tryAll(Number(values.from), Number(values.to));
process.stdout.write(JSON.stringify(tally));
process.exit(0);

/** Starts processes, each of which tries the next range of corruptions. */
async function tryInProcesses(count) {
  let next = 0;
  const work = async () => {
    while (next < count) {
      const range = ["--from", String(next), "--to", String((next += A_PROCESS))];
      const args = [import.meta.filename, ...process.argv.slice(2), "--seed", String(seed), ...range];
      const found = JSON.parse((await promisify(execFile)(process.execPath, args)).stdout);
      for (const what of ["right", "refused", "repairs"]) tally[what] += found[what];
      tally.misread.push(...found.misread);
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, work));
}

/**
 * Creates a ledger with two runs. The records of the second run are pending, in flight, or have one of the statuses in
 * `SETTLED`. The latest changes of a crashed ledger are only in its log.
 */
async function makeLedger(folder, crashed) {
  mkdirSync(folder, { recursive: true });
  const work = path.join(folder, "work.db");
  const ledger = await openLedger({ path: work });
  const items = Array.from({ length: 24 }, (_, index) => item(index + 1));
  await plan(ledger, items.slice(0, 4));
  const run = await plan(ledger, items);
  const found = await ledger.sendable(run, 1, 18);
  const intents = found.map(({ record, identity, content }) => ({ record, identity, content, attempt: 1, at: AT }));
  await ledger.saveIntents(run, intents);
  for (const at of [0, 6]) {
    await ledger.saveOutcomes(
      run,
      intents.slice(at, at + 6).map((intent, index) => settled(intent, SETTLED[index])),
    );
  }
  if (!crashed) await ledger.close();
  const files = new Map();
  for (const name of FILES) {
    const from = path.join(folder, name.replace("ledger", "work"));
    if (existsSync(from) && readFileSync(from).length > 0) files.set(name, readFileSync(from));
  }
  if (crashed !== files.has("ledger.db-wal")) throw new Error("the ledger has an unexpected state");
  if (crashed) await ledger.close();
  const here = path.join(folder, "here");
  mkdirSync(here);
  const made = { here, files, run };
  return { ...made, truth: await readStatuses(made) };
}

function hash(text) {
  return createHash("sha256").update(text).digest();
}

function item(record) {
  const [identity, content] = [hash(`identity ${record}`), hash(`content ${record}`)];
  return {
    record,
    key: `K${record}`,
    identity,
    content,
    file: "a.csv",
    line: record + 1,
    status: "valid",
    problems: [],
  };
}

async function plan(ledger, items) {
  const more = {
    target: "platform.example",
    supplier: "S",
    operation: "import",
    endpoint: "POST platform.example/v1/accounts",
    settings: {},
    dryRun: false,
  };
  const { id } = await ledger.startRun({ command: "push", startedAt: AT, ...more });
  await ledger.plan(id, packItems(items));
  await ledger.finishPlan(id, POLICY);
  return id;
}

function settled({ record, identity, attempt }, status) {
  return {
    record,
    identity,
    attempt,
    status,
    problems: [],
    at: AT,
    ...(status === "accepted" && { account: `A-${record}` }),
  };
}

/** Tries a range of the corruptions of both ledgers in sequence. `to` is exclusive. */
async function tryAll(from, to) {
  let number = -1;
  for (const ledger of ledgers) {
    for (const corruption of corruptions(ledger)) {
      number += 1;
      if (number >= from && number < to) await tryOne(ledger, corruption);
    }
  }
}

function* corruptions({ files }) {
  for (const [name, bytes] of files) {
    for (let length = 0; length < bytes.length; length += every)
      yield { name, what: `${name} truncated to ${length} bytes`, change: (file) => ftruncateSync(file, length) };
  }
  const dice = seededRandom(seed);
  const names = [...files.keys()];
  for (let flip = 0; flip < flips; flip += 1) {
    const name = names[flip % names.length];
    const bytes = files.get(name);
    const at = Math.floor(dice() * bytes.length);
    const value = bytes[at] ^ (1 + Math.floor(dice() * 255));
    const change = (file) => writeSync(file, Buffer.from([value]), 0, 1, at);
    yield { name, what: `${name}: byte ${at} set to ${value}`, change };
  }
}

async function tryOne(ledger, { name, what, change }) {
  const said = await readStatuses(ledger, name, change);
  if (said === "refused") {
    tally.refused += 1;
    if (tally.refused % repaired === 0) await tryRepair(ledger, what);
  } else if (said === ledger.truth) tally.right += 1;
  else tally.misread.push(`${path.basename(path.dirname(ledger.here))} ledger, ${what}: ${said.slice(0, 300)}`);
}

/**
 * Repairs a ledger, unless it is beyond repair. The repaired ledger must pass the check. It must not report an
 * unaccepted record as accepted, and must not allow an accepted record to be sent again.
 */
async function tryRepair({ here, truth }, what) {
  const file = path.join(here, "ledger.db");
  tally.repairs += 1;
  try {
    repairLedger(file, String(tally.repairs));
  } catch (error) {
    if (error.code === "ledger_damaged") return;
    throw new Error(`${what}: the ledger cannot be repaired`, { cause: error });
  }
  await (await openLedger({ path: file, create: false })).close();
  const { findings } = checkLedger(file, () => false);
  if (findings.length > 0) tally.misread.push(`${what}, repaired: ${findings.join(" ")}`);
  const known = new Map(truth.split(", ").map((line) => [line.split(" ")[0], line.split(" ")[2]]));
  const numbers = new Map([...known.keys()].map((record) => [hash(`identity ${record}`).toString("hex"), record]));
  for (const row of [...exportLedger(file, () => false)].flat()) {
    const { record, status } =
      row.row === "record" ? { record: numbers.get(row.identity), status: row.state } : itemOf(row);
    const was = known.get(record);
    if (status === undefined || was === undefined) continue;
    const isWrong = status === "accepted" ? was !== "accepted" : was === "accepted" && !OPEN.has(status);
    if (isWrong) tally.misread.push(`${what}, repaired: ${row.row} ${record} was ${was} and is ${status}`);
  }
}

/** Returns the record and the status of an item of the second run; an empty object for any other row. */
function itemOf({ row, run, record, status }) {
  return row === "item" && run === 2 ? { record: String(record), status } : {};
}

/**
 * Restores the ledger's files, applies the change to one of them, and opens the ledger. Returns the outcomes and the
 * records to send as text; `refused` if the ledger is rejected; the message of any other error.
 */
async function readStatuses({ here, files, run }, corrupt, change) {
  for (const side of ["-shm", "-wal", "-checksums", ""]) rmSync(path.join(here, `ledger.db${side}`), { force: true });
  for (const [name, bytes] of files) writeFileSync(path.join(here, name), bytes);
  if (change !== undefined) {
    const file = openSync(path.join(here, corrupt), "r+");
    change(file);
    closeSync(file);
  }
  try {
    const ledger = await openLedger({ path: path.join(here, "ledger.db"), create: false, readOnly: true });
    try {
      const found = [];
      for await (const batch of ledger.outcomes(run)) {
        for (const { record, key, status, account } of batch)
          found.push([record, key, status, account ?? ""].join(" "));
      }
      const sendable = (await ledger.sendable(run, 1, 99)).map(({ record, attempts }) => `${record}/${attempts}`);
      return [...found, ...sendable].join(", ");
    } finally {
      await ledger.close();
    }
  } catch (error) {
    if (error.name === "Failure" && [2, 6].includes(error.exitCode)) return "refused";
    return `${error.name}: ${error.message}`;
  }
}
