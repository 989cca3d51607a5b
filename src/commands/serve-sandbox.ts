import path from "node:path";
import { fileURLToPath } from "node:url";
import { replaceFile } from "../files/replace-file.ts";
import { definedMembers } from "../json/defined-members.ts";
import { Failure } from "../model/failure.ts";
import { readContractWithFindings } from "../job/contract-files.ts";
import type { ContractCaching } from "../job/dependencies.ts";
import type { FaultOptions } from "../sandbox/faults/fault-options.ts";
import { type Sandbox, startSandbox } from "../sandbox/start-sandbox.ts";
import type { SupplierStatus } from "../model/supplier-status.ts";

export interface SandboxCommandOptions {
  /** The contract to serve; if empty, the bundled contract. */
  readonly contract: readonly string[];
  readonly port: number;
  /** Folder for certificates. */
  readonly folder: string;
  /** File that keeps accounts across restarts. */
  readonly data?: string | undefined;
  /** File to which `SandboxReady` is written once the platform is listening. */
  readonly readyFile?: string | undefined;
  readonly faults: FaultOptions;
  /**
   * Import suppliers. Default: the suppliers that the contract enumerates, or `SANDBOX` if it enumerates none. All
   * default suppliers are ongoing.
   */
  readonly suppliers?: Readonly<Record<string, SupplierStatus>> | undefined;
  /** The API key to accept; if absent, a random key. */
  readonly apiKey: string | undefined;
  /** The region of the instance, such as `GB`; if absent, the region of the contract. */
  readonly region?: string | undefined;
  /** Maximum size of a request body in bytes; if absent, 16 MiB. */
  readonly maxBodyBytes?: number | undefined;
  readonly log: (line: string) => void;
}

/** Starts the local platform. Then writes its addresses and API key to the ready file, if one is named. */
export async function sandbox(options: SandboxCommandOptions, dependencies: ContractCaching): Promise<Sandbox> {
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

/**
 * Folder of the bundled files. The command-line bundle and this file are both two folders deep, so the same path works
 * for both.
 */
export const FIXTURES: string = fileURLToPath(new URL("../../fixtures/", import.meta.url));

export const BUNDLED_CONTRACT: string = path.join(FIXTURES, "contract/contract.yaml");

/**
 * Writes the ready file, which contains the API key. The write is atomic, because another process may read the file as
 * soon as it exists.
 */
async function writeReadyFile(file: string, { ready }: Sandbox): Promise<void> {
  try {
    await replaceFile(file, `${JSON.stringify(ready)}\n`, { durable: false });
  } catch (cause) {
    throw new Failure("storage", `the ready file ${file} cannot be written`, {
      hint: "choose a file in an existing folder",
      cause,
    });
  }
}
