import path from "node:path";
import { fileURLToPath } from "node:url";
import { replaceFile } from "../files/replace-file.ts";
import { definedMembers } from "../json/defined-members.ts";
import { Failure } from "../model/failure.ts";
import { readContractWithFindings } from "../job/contract-files.ts";
import type { Dependencies } from "../job/dependencies.ts";
import type { FaultOptions } from "../sandbox/faults/fault-options.ts";
import { type Sandbox, startSandbox } from "../sandbox/start-sandbox.ts";
import type { SupplierStatus } from "../model/supplier-status.ts";

export interface SandboxCommandOptions {
  /** The contract to play; none: the one that comes with the tool. */
  readonly contract: readonly string[];
  readonly port: number;
  /** Folder of its certificates. */
  readonly folder: string;
  /** File that keeps its accounts from one start to the next. */
  readonly data?: string | undefined;
  /** File to write the ready object to once it listens. */
  readonly readyFile?: string | undefined;
  readonly faults: FaultOptions;
  /** Its import suppliers; none: those of the contract, all ongoing. */
  readonly suppliers?: Readonly<Record<string, SupplierStatus>> | undefined;
  /** The key it accepts; none: a random one. */
  readonly apiKey: string | undefined;
  /** The country of the instance; none: that of the contract. */
  readonly region?: string | undefined;
  /** Largest request body; none: 16 MiB. */
  readonly maxBodyBytes?: number | undefined;
  readonly log: (line: string) => void;
}

/** Starts the local platform, and says in the ready file where it listens. */
export async function sandbox(
  options: SandboxCommandOptions,
  dependencies: Pick<Dependencies, "contractCache">,
): Promise<Sandbox> {
  const { contract: named, readyFile, apiKey, region, suppliers, data: dataFile, maxBodyBytes, ...settings } = options;
  const files = named.length > 0 ? named : [BUNDLED_CONTRACT];
  const contract = await readContractWithFindings(files, dependencies);
  const optional = definedMembers({ apiKey, region, suppliers, dataFile, maxBodyBytes });
  const running = await startSandbox({ contract, ...settings, ...optional });
  try {
    if (readyFile !== undefined) await writeReadyFile(readyFile, running);
    return running;
  } catch (error) {
    await running.close();
    throw error;
  }
}

/** The files that come with the tool. The command line's bundle lies two folders deep, as this file does. */
export const FIXTURES: string = fileURLToPath(new URL("../../fixtures/", import.meta.url));

/** The contract that comes with the tool. */
export const BUNDLED_CONTRACT: string = path.join(FIXTURES, "contract/contract.yaml");

/** Whole or not at all: whoever waits for the file may read it as soon as it is there. It holds the API key. */
async function writeReadyFile(file: string, { ready }: Sandbox): Promise<void> {
  try {
    await replaceFile(file, `${JSON.stringify(ready)}\n`, { durable: false });
  } catch (cause) {
    throw new Failure("storage", `the ready file ${file} cannot be written`, {
      hint: "name a file in an existing folder",
      cause,
    });
  }
}
