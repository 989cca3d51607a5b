import { createHash } from "node:crypto";
import { deflateRawSync, inflateRawSync } from "node:zlib";
import { Failure } from "../../model/failure.ts";
import type { SetupFile } from "../records/run.ts";
import { exists, statement, type Tables, type Work } from "./tables.ts";

/** Stores the files of a run, unless another run has already stored them. */
export function* saveSetupFiles(tables: Tables, files: readonly SetupFile[]): Work<void> {
  for (const { sha256, content } of files) {
    const name = Buffer.from(sha256, "hex");
    if (!(yield* exists(tables, IS_STORED, name)))
      yield* tables.run(INSERT, name, deflateRawSync(content, { level: 1 }));
  }
}

const IS_STORED = "select 1 as found from migrate.setup where sha256 = $1";
const INSERT = "insert into migrate.setup (sha256, content) values ($1, $2) on conflict do nothing";

export function* setupFile(tables: Tables, sha256: string): Work<Uint8Array | undefined> {
  const stored = yield* tables.row(SELECT, Buffer.from(sha256, "hex"));
  if (stored === undefined) return undefined;
  const content = inflated(stored.content);
  if (content !== undefined && createHash("sha256").update(content).digest("hex") === sha256) return content;
  throw new Failure("ledger_damaged", `${tables.name}: a stored file of a run is corrupt (sha256 ${sha256})`, {
    hint: "restore the files of the run, or start a new push: accepted records are not sent again",
  });
}

const SELECT = statement<{ readonly content: Uint8Array }>("select content from migrate.setup where sha256 = $1");

function inflated(bytes: Uint8Array): Uint8Array | undefined {
  try {
    return inflateRawSync(bytes);
  } catch {
    return undefined;
  }
}
