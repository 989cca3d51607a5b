// Performs one task with a ledger: node ledger-process.mjs <hold | open | linger | push> <path> ...
import { randomBytes } from "node:crypto";
import { appendFileSync } from "node:fs";
import { packItems } from "../../dist/ledger/packed/packed-items.js";
import { lockLedger } from "../../dist/ledger/sqlite/lock/ledger-lock.js";
import { openLedger } from "../../dist/ledger/sqlite/sqlite-ledger.js";
import { sqliteLedgerStore } from "../../dist/ledger/sqlite/sqlite-store.js";

const [, , task, path, ...values] = process.argv;
const print = (line) => process.stdout.write(`${line}\n`);

/** Takes the lock and keeps it until the process is killed, or prints the code of the refusal. */
async function hold() {
  try {
    await lockLedger(path, "push", JSON.parse(values[0] ?? "{}"));
    print("locked");
    setInterval(() => {}, 1000);
  } catch (error) {
    print(error.code);
  }
}

/** Opens the ledger as a push does, and keeps it open, or prints the code of the refusal. */
async function open() {
  try {
    await sqliteLedgerStore(path).write("push", { create: true });
    print("opened");
    setInterval(() => {}, 1000);
  } catch (error) {
    print(error.code);
  }
}

/** Plans a run, closes the ledger, prints the run's id, and exits normally on SIGUSR2. */
async function linger() {
  const ledger = await openLedger({ path });
  const job = { command: "push", target: "platform.example", supplier: "", operation: "import", endpoint: "POST /" };
  const { id } = await ledger.startRun({ ...job, settings: {}, dryRun: false, startedAt: new Date().toISOString() });
  const items = Array.from({ length: 2000 }, (_, index) => ({
    record: index + 1,
    key: `K${index}`,
    identity: randomBytes(32),
    content: randomBytes(32),
    file: "a.csv",
    line: index + 2,
    status: "valid",
    problems: [],
  }));
  await ledger.plan(id, packItems(items));
  await ledger.finishPlan(id, { revise: false, resendAmbiguous: false, keyAttr: "key", keyColumns: new Map() });
  await ledger.close();
  const waiting = setInterval(() => {}, 1000);
  process.once("SIGUSR2", () => clearInterval(waiting));
  print(id);
}

/**
 * Continues a run in groups of 16 records. The `received` file lists the records whose requests a platform would have
 * received.
 */
async function push() {
  const [run, received] = values;
  const at = new Date().toISOString();
  const lock = await lockLedger(path, "push");
  const ledger = await openLedger({ path });
  await ledger.resumeRun(run, { revise: false, resendAmbiguous: false, keyAttr: "key", keyColumns: new Map() });
  const found = await ledger.sendable(run, 1, 1_000_000);
  for (let from = 0; from < found.length; from += 16) {
    const intents = found
      .slice(from, from + 16)
      .map(({ record, identity, content, attempts }) => ({ record, identity, content, attempt: attempts + 1, at }));
    await ledger.saveIntents(run, intents);
    for (const { record } of intents) appendFileSync(received, `${record}\n`);
    if (from === 0) print("pushing");
    const settled = intents.map(({ record, identity, attempt }) => ({ record, identity, attempt, at }));
    await ledger.saveOutcomes(
      run,
      settled.map((intent) => ({ ...intent, status: "accepted", problems: [] })),
    );
  }
  await ledger.close();
  await lock.release();
}

await { hold, open, linger, push }[task]();
