import path from "node:path";
import type { JournalEnvironment } from "../../../src/job/dependencies.ts";
import { machineId, writeSeenOrigin } from "../../../src/ledger/journal/seen-origin.ts";
import type { ModelServer } from "./model-server.ts";
import type { SimulatedProcess } from "./simulated-process.ts";

/** The state folders of the machines, with the journals of their processes. */
export interface StateFolders {
  readonly machines: number;
  readonly folderOf: (machine: number) => string;
}

export function createStateFolders(folder: string, machines: number): StateFolders {
  return { machines, folderOf: (machine) => path.join(folder, `machine-${machine}`) };
}

/** Registers each machine as a machine that has sent before and knows the other machines. */
export async function introduceMachines(
  { machines, folderOf }: StateFolders,
  { tables, facts }: ModelServer,
): Promise<void> {
  const folders = Array.from({ length: machines }, (_, machine) => folderOf(machine));
  for (const folder of folders) tables.noteMachine(machineId(folder));
  const seen = { ...facts(), requests: 0, at: new Date(0).toISOString() };
  for (const folder of folders) await writeSeenOrigin(path.join(folder, "ledgers", FIRST_RUN), seen);
}

/** Returns the dependencies for a process's journal. */
export function journalTools(
  folders: StateFolders,
  { machine, clock }: Pick<SimulatedProcess, "machine" | "clock">,
  note: (event: string) => void,
): JournalEnvironment {
  const folder = folders.folderOf(machine);
  return { clock, rescueFolder: folder, stateFolder: () => folder, notice: note };
}

/** The first run, whose id names the ledger. */
const FIRST_RUN = "run-1";

/** The ledger's name on all machines. */
export const SERVER_STORE = { name: "postgres://database", server: "host:5432/database", folder: "" } as const;
