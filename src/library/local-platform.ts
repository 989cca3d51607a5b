import path from "node:path";
import { definedMembers } from "../json/defined-members.ts";
import type { JsonObject } from "../json/json-value.ts";
import { Failure } from "../model/failure.ts";
import type { SupplierStatus } from "../model/supplier-status.ts";
import type { LibraryOptions, OptionTable } from "../options/option-row.ts";
import type { TargetOptions } from "../options/target-options.ts";
import type { FaultOptions } from "../sandbox/faults/fault-options.ts";
import type { Sandbox } from "../sandbox/start-sandbox.ts";
import { reserveTemporaryFolder } from "../runtime/temporary-folder.ts";
import { knownError } from "./call.ts";
import { type Credentials, requireOptions } from "./run-options.ts";

const SANDBOX = {
  /** The contract to simulate. Default: the bundled contract. */
  contract: { kind: "paths", library: true },
  /** The port on 127.0.0.1. Default: any free port. */
  port: { kind: "amount", library: true },
  /** Folder of the certificates, which later sandboxes reuse. Default: a temporary folder, which `close` removes. */
  folder: { kind: "text", library: true },
  /** File that keeps the accounts across restarts. */
  data: { kind: "text", library: true },
  /** The API key that the sandbox accepts. Default: a random key. */
  apiKey: { kind: "text", library: true },
  /**
   * Import suppliers by code. Default: the suppliers that the contract enumerates, or `SANDBOX` if it enumerates none.
   * All default suppliers are ongoing.
   */
  suppliers: { kind: "supplierStatuses", library: true },
  /** Country of the instance, as two capital letters. Default: the contract's setting `region`. */
  region: { kind: "text", library: true },
  /** Maximum size of a request body in bytes. A larger body is refused with HTTP 413. Default: 16 MiB. */
  maxBodyBytes: { kind: "number", range: [1], library: true },
  faults: { kind: "object" },
  onRequest: { kind: "function" },
} as const;

export interface SandboxOptions extends LibraryOptions<typeof SANDBOX> {
  /** Simulated faults (docs/sandbox.md), such as `{ throttle: { every: 10 }, latencyMs: [20, 50] }`. */
  readonly faults?: FaultOptions | undefined;
  /** Receives one line per request, without values. */
  readonly onRequest?: ((line: string) => void) | undefined;
}

/** A running sandbox and the settings for pushing to it. */
export interface RunningSandbox {
  readonly target: TargetOptions;
  readonly credentials: Credentials;
  /** The code of the first import supplier. */
  readonly supplier: string;
  /** The files of the simulated contract. */
  readonly contract: readonly string[];
  /** The address of the admin API (docs/sandbox.md). */
  readonly adminUrl: string;
  /** The token for the admin API, sent as `Authorization: Token <adminToken>`. */
  readonly adminToken: string;
  /** Returns the accounts that the sandbox currently has. */
  readonly accounts: () => readonly SandboxAccount[];
  /** Returns the requests that the sandbox has received, in the order of arrival. */
  readonly requests: () => readonly SandboxRequest[];
  /** Sets the status of an import supplier of the sandbox. */
  readonly setSupplier: (code: string, status: SupplierStatus) => void;
  /** Replaces the simulated faults and resets their request counts. */
  readonly setFaults: (faults: FaultOptions) => void;
  /** Closes every connection and removes the temporary files. */
  readonly close: () => Promise<void>;
}

export interface SandboxAccount {
  readonly number: string;
  readonly supplier: string;
  /** The business key. */
  readonly key: string;
  readonly payload: JsonObject;
}

export interface SandboxRequest {
  readonly method: string;
  readonly path: string;
  /** The business key in the payload, if it has one. */
  readonly key?: string;
  /** The status that the client received. Absent if the client received none (reset or hang). */
  readonly status?: number;
  /** Whether the platform processed the request. Can be true even if the reply was lost. */
  readonly processed: boolean;
}

/**
 * Starts a local platform that serves real HTTPS on 127.0.0.1.
 * @throws Failure
 */
export async function startSandbox(options: SandboxOptions = {}): Promise<RunningSandbox> {
  requireOptions(options, SANDBOX, "startSandbox");
  const temporary = options.folder === undefined ? reserveTemporaryFolder() : undefined;
  const folder = options.folder ?? path.join(temporary?.path ?? "", "sandbox");
  try {
    return runningSandbox(await start(options, folder), () => temporary?.remove());
  } catch (error) {
    temporary?.remove();
    throw knownError(error);
  }
}

async function start(options: SandboxOptions, folder: string): Promise<StartedSandbox> {
  const { BUNDLED_CONTRACT, sandbox } = await import("../commands/serve-sandbox.ts");
  const { readFaults } = await import("../sandbox/faults/fault-options.ts");
  const { contract: named = BUNDLED_CONTRACT, port = 0, faults = {}, onRequest: log = () => undefined } = options;
  const { data, apiKey, suppliers, region, maxBodyBytes } = options;
  const contract = typeof named === "string" ? [named] : named;
  const settings = { contract, port, folder, data, apiKey, suppliers, region, maxBodyBytes, log };
  const running = await sandbox({ ...settings, faults: readFaults(faults) }, {});
  return { ...running, contract, setFaults: (changed) => running.setFaults(readFaults(changed)) };
}

interface StartedSandbox extends Sandbox {
  readonly contract: readonly string[];
}

function runningSandbox(
  { contract, ready, state, history, ...running }: StartedSandbox,
  end: () => void,
): RunningSandbox {
  return {
    target: { baseUrl: ready.baseUrl, environment: "test", ca: ready.ca },
    credentials: { apiKey: ready.apiKey },
    supplier: ready.supplier,
    contract,
    adminUrl: ready.adminUrl,
    adminToken: ready.adminToken,
    accounts: () => state.accounts().map(({ number, supplier, key, payload }) => ({ number, supplier, key, payload })),
    requests: () => history().map(requestOf),
    setSupplier: (code, status) => {
      if (state.supplierStatus(code) === undefined) {
        throw new Failure("usage", "setSupplier: the sandbox has no import supplier with this code", {
          hint: "name it in `suppliers` of `startSandbox`",
        });
      }
      requireOptions({ status }, SUPPLIER_CHANGE, "setSupplier");
      state.setSupplier(code, status);
    },
    setFaults: running.setFaults,
    close: () => running.close().finally(end),
  };
}

const SUPPLIER_CHANGE: OptionTable = { status: { kind: "supplierStatus", library: "required" } };

function requestOf({ method, path: at, key, status, processed }: SandboxRequest): SandboxRequest {
  return { method, path: at, ...definedMembers({ key, status }), processed };
}
