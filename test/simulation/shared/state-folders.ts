import path from "node:path";
import type { EvidenceDependencies } from "../../../src/pipeline/run/machine-evidence.ts";
import type { SimulatedProcess } from "./simulated-process.ts";

/** The state folders of the machines, with the journals of their processes. */
export interface StateFolders {
  /** Machines there are. */
  readonly machines: number;
  readonly folderOf: (machine: number) => string;
}

export function createStateFolders(folder: string, machines: number): StateFolders {
  return { machines, folderOf: (machine) => path.join(folder, `machine-${machine}`) };
}

/** What a process needs to journal what it sends. */
export function journalTools(
  folders: StateFolders,
  { machine, clock }: Pick<SimulatedProcess, "machine" | "clock">,
  note: (event: string) => void,
): EvidenceDependencies {
  const folder = folders.folderOf(machine);
  return { clock, rescueFolder: folder, stateFolder: () => folder, notice: note };
}

/** The ledger as all machines name it. */
export const SERVER_STORE = { name: "postgres://database", server: "host:5432/database", folder: "" } as const;
