import { rmSync } from "node:fs";
import { between, pickWeighted } from "../../seeded-dice.ts";
import type { RestoreKind } from "./model-server.ts";
import { startRepair, type SharedScene } from "./shared-scene.ts";
import type { SimulatedProcess } from "./simulated-process.ts";

/** Takes copies of the database, and restores them while processes are running. */
export interface RestoredDatabase {
  /** Schedules copies and restores for the next 30 seconds. */
  readonly scheduleFaults: () => void;
  /** Cancels the remaining copies and restores. */
  readonly end: () => void;
  /** Repairs the ledger on each machine, in random order, as documented. */
  readonly repair: (pass: (process: SimulatedProcess) => Promise<void>) => Promise<void>;
}

export interface RestoreOptions {
  readonly count: (kind: string) => void;
  /** Whether state folders are also lost. */
  readonly losesFolders: boolean;
}

/**
 * How the database is restored. A failover loses at most the last 3 seconds of changes. A restored dump or restored
 * files can lose more, and the server can be unavailable for longer. `recreated`: the database is empty.
 */
type Restore = "failover" | "dump" | "files" | "recreated";

const RESTORES: readonly (readonly [number, Restore])[] = [
  [4, "failover"],
  [3, "dump"],
  [2, "files"],
  [0.5, "recreated"],
];
const KINDS: Readonly<Record<Restore, RestoreKind>> = {
  failover: "another origin",
  dump: "another origin",
  files: "files",
  recreated: "another origin",
};

export function createRestores(scene: SharedScene, { count, losesFolders }: RestoreOptions): RestoredDatabase {
  const { dice, clock, server, network, witness, folders, note } = scene;
  const empty = server.copy();
  const copies: ((kind: RestoreKind) => void)[] = [];
  let isOver = false;
  let isRepairing = false;

  const loseFolder = (): void => {
    if (folders === undefined || dice() < 0.5) return;
    const machine = between(dice, 0, folders.machines - 1);
    rmSync(folders.folderOf(machine), { recursive: true, force: true });
    note(`machine ${machine} has lost its state folder`);
  };
  const restore = async (how: Restore): Promise<void> => {
    const before = server.copy();
    if (how === "failover") await clock.sleep(between(dice, 1, 3_000));
    if (isOver || isRepairing) return;
    const copy =
      how === "failover" ? before : how === "recreated" ? empty : copies[between(dice, 0, copies.length - 1)];
    if (copy === undefined) return;
    const isQuick = how === "failover" && dice() < 0.5;
    network.cut(isQuick ? between(dice, 1, 500) : between(dice, 500, how === "failover" ? 10_000 : 90_000));
    copy(KINDS[how]);
    network.restored();
    witness.restored();
    note(`restored: ${how}`);
    count(how);
    if (losesFolders) loseFolder();
  };
  const later = async (ms: number, work: () => void | Promise<void>): Promise<void> => {
    await clock.sleep(ms);
    if (!isOver) await work();
  };
  const take = (): void => {
    copies.push(server.copy());
    note(`copy ${copies.length} taken`);
  };
  return {
    scheduleFaults() {
      for (let left = between(dice, 1, 4); left > 0; left -= 1) void later(between(dice, 0, 20_000), take);
      for (let left = between(dice, 0, 2); left > 0; left -= 1) {
        void later(between(dice, 500, 30_000), () => restore(pickWeighted(dice, RESTORES)));
      }
    },
    end() {
      isOver = true;
    },
    async repair(pass) {
      isRepairing = true;
      const machines = Array.from({ length: folders?.machines ?? 0 }, (_, machine) => machine);
      while (machines.length > 0) {
        const [machine = 0] = machines.splice(between(dice, 0, machines.length - 1), 1);
        await pass(startRepair(scene, machine, false));
      }
      isRepairing = false;
    },
  };
}
