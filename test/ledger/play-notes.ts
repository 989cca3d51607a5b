import { recordIdentity } from "../../src/ledger/records/record-hashes.ts";
import { moment, onAll, onRun, type Scene } from "./compared-ledgers.ts";
import { PUSH } from "./ledger-input.ts";
import type { Note, Step } from "./script-steps.ts";

/** Marks requests as possibly sent, as after a comparison with a journal. */
export async function recover(
  scene: Scene,
  { requests, isUncertain }: Extract<Step, { does: "recover" }>,
): Promise<void> {
  const at = moment(scene);
  await onAll(scene, async ({ ledger: { recovery } }) => {
    if (recovery === undefined) throw new Error("no recovery");
    const last = new Map<string, number>();
    const given = [];
    for (const { later, ...request } of requests) {
      const name = Buffer.from(request.identity).toString("hex");
      let attempt = last.get(name) ?? 0;
      while (last.get(name) === undefined && (await recovery.unknownRequests([{ ...request, attempt }])).length === 0) {
        attempt += 1;
      }
      attempt += later;
      last.set(name, attempt);
      given.push({ ...request, attempt });
    }
    await recovery.markPossiblySent(given, at);
    await recovery.noteRecovery({ id: at, at, isUncertain });
    return recovery.isRecoveryKnown(at);
  });
}

export async function note(scene: Scene, step: Note): Promise<void> {
  if (step.does === "verify") return verify(scene, step);
  if (step.does === "note a position") {
    const { record, file } = step;
    const position = { record, file, byte: record * 10, line: record + 1 };
    await onRun(scene, (ledger, run) => ledger.notePosition(run, position));
    return;
  }
  const { does, keys } = step;
  const [at, who] = [moment(scene), "tester"];
  await onAll(scene, async ({ ledger }) => {
    const exclusions = keys.map((key) => ({ identity: identityOf(key), key, at, who, reason: "test" }));
    return does === "exclude"
      ? [await ledger.excludeRecords(exclusions), await ledger.exclusions()]
      : ledger.endExclusions(
          exclusions.map(({ identity }) => identity),
          { at, who },
        );
  });
}

const identityOf = (key: string): Uint8Array =>
  recordIdentity({ endpoint: PUSH.endpoint, supplier: PUSH.supplier, key });

async function verify(scene: Scene, { run, results }: Extract<Note, { does: "verify" }>): Promise<void> {
  const at = moment(scene);
  const verifications = results.map((verification, index) => ({ record: index + 1, verification }));
  await onAll(scene, async ({ ledger, runs }) => {
    const id = runs[Math.max(0, runs.length - 1 - run)] ?? "";
    await ledger.saveVerifications(id, verifications, at);
    return ledger.acceptedLast(id, 1, 1_000);
  });
}
