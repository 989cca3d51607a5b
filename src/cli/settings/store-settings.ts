import type { StoreSettings } from "../../commands/check/documents-check.ts";
import type { Supplier } from "../../job/settings/supplier-settings.ts";
import { Failure } from "../../model/failure.ts";
import { flagsAsTyped } from "../options/option-table.ts";
import type { StoreFlags } from "../options/options.ts";
import { readConfig } from "./config-file.ts";
import type { Config } from "./config-schema.ts";

/**
 * Returns the first known location of the documents: from the flags, the configuration file or the bucket of the
 * supplier.
 * @throws Failure `usage` if no location is known
 */
export async function readStoreSettings(flags: StoreFlags, supplier: Supplier, folder: string): Promise<StoreSettings> {
  const settings = storeSettingsOf(await readConfig(flags.config, folder), flags, supplier);
  if (settings !== undefined) return settings;
  throw new Failure("usage", "no document store is configured", {
    hint: "pass --store ./folder or --store s3://bucket, or set the supplier's `bucket` in the configuration file",
  });
}

/** Returns the location for a configuration that has already been read; undefined if no store is named. */
export function storeSettingsOf(
  { store = {} }: Config,
  flags: StoreFlags,
  supplier: Supplier,
): StoreSettings | undefined {
  const ofSupplier = supplier.bucket === undefined ? undefined : `s3://${supplier.bucket}`;
  const chosen = flags.store ?? store.location;
  const location = chosen ?? ofSupplier;
  if (location === undefined) return undefined;
  return {
    location,
    otherBuckets: chosen === undefined ? supplier.otherBuckets : undefined,
    endpoint: flags.endpoint ?? store.endpoint,
    region: flags.region ?? store.region,
    ca: flags.ca ?? store.ca,
    credentialsFile: store.credentialsFile,
    allowInsecureLoopback: flags.allowInsecureLoopback ?? false,
    flags: flagsAsTyped(flags, STORE_FLAGS),
  };
}

const STORE_FLAGS = ["store", "endpoint", "region", "ca", "allowInsecureLoopback"] as const;
