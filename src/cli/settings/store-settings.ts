import type { StoreSettings } from "../../commands/documents-check.ts";
import { Failure } from "../../model/failure.ts";
import type { Supplier } from "../../job/supplier-settings.ts";
import { readConfig } from "./config-file.ts";
import { typedAgain } from "../options/option-table.ts";
import type { DocumentFlags } from "../options/options.ts";

/**
 * Where the documents lie: as the flags say, then the configuration file, then in the supplier's bucket.
 * @throws Failure `usage` when none of them names a store
 */
export async function readStoreSettings(
  flags: DocumentFlags,
  supplier: Supplier,
  folder: string,
): Promise<StoreSettings> {
  const { store = {} } = await readConfig(flags.config, folder);
  const ofSupplier = supplier.bucket === undefined ? undefined : `s3://${supplier.bucket}`;
  const location = flags.store ?? store.location ?? ofSupplier;
  if (location === undefined) {
    throw new Failure("usage", "no document store is named", {
      hint: "pass --store ./folder or --store s3://bucket, or name the supplier's `bucket` in the configuration file",
    });
  }
  return {
    location,
    endpoint: flags.endpoint || store.endpoint,
    region: flags.region || store.region,
    ca: flags.ca ?? store.ca,
    credentialsFile: store.credentialsFile,
    allowInsecureLoopback: flags.allowInsecureLoopback ?? false,
    flags: typedAgain(flags, STORE_FLAGS),
  };
}

const STORE_FLAGS = ["store", "endpoint", "region", "ca", "allowInsecureLoopback"] as const;
