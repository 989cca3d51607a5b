import type { StoreSettings } from "../../commands/check/documents-check.ts";
import { Failure } from "../../model/failure.ts";
import type { Supplier } from "../../job/settings/supplier-settings.ts";
import type { Config } from "./config-schema.ts";
import { readConfig } from "./config-file.ts";
import { flagsAsTyped } from "../options/option-table.ts";
import type { DocumentFlags } from "../options/options.ts";

/**
 * The location of the documents, from the flags, then the configuration file, then the bucket of the supplier.
 * @throws Failure `usage` if none of them names a store
 */
export async function readStoreSettings(
  flags: DocumentFlags,
  supplier: Supplier,
  folder: string,
): Promise<StoreSettings> {
  const settings = storeSettingsOf(await readConfig(flags.config, folder), flags, supplier);
  if (settings !== undefined) return settings;
  throw new Failure("usage", "no document store is named", {
    hint: "pass --store ./folder or --store s3://bucket, or name the supplier's `bucket` in the configuration file",
  });
}

/** Returns the location for a configuration that has already been read. Undefined if no store is named. */
export function storeSettingsOf(
  { store = {} }: Config,
  flags: Omit<DocumentFlags, "format" | "concurrency">,
  supplier: Supplier,
): StoreSettings | undefined {
  const ofSupplier = supplier.bucket === undefined ? undefined : `s3://${supplier.bucket}`;
  const location = flags.store ?? store.location ?? ofSupplier;
  if (location === undefined) return undefined;
  return {
    location,
    endpoint: flags.endpoint || store.endpoint,
    region: flags.region || store.region,
    ca: flags.ca ?? store.ca,
    credentialsFile: store.credentialsFile,
    allowInsecureLoopback: flags.allowInsecureLoopback ?? false,
    flags: flagsAsTyped(flags, STORE_FLAGS),
  };
}

const STORE_FLAGS = ["store", "endpoint", "region", "ca", "allowInsecureLoopback"] as const;
