import { createHash } from "node:crypto";
import { constants } from "node:fs";
import { mkdir, open, readdir, stat, unlink } from "node:fs/promises";
import path from "node:path";
import { deserialize, serialize } from "node:v8";
import type { Contract } from "../contract/contract.ts";
import type { SourceText } from "../contract/document/text-excerpt.ts";
import { canonicalJson } from "../json/json-value.ts";
import { errorCode } from "../files/error-code.ts";
import { interruptibleSoon } from "../model/interruptible.ts";
import type { RuleSettings } from "./settings/rule-configuration.ts";
import { replaceFile } from "../files/replace-file.ts";

/** The cache that keeps compiled contracts between commands. */
export interface ContractCache {
  /**
   * The cache creates this folder, its parent and its grandparent, accessible only to their owner. The folder above the
   * grandparent must exist.
   */
  readonly folder: string;
  /** Version and build of this program. Entries of other versions and builds are not read. */
  readonly version: string;
}

/**
 * Returns the contract for the documents, from the cache if possible; otherwise compiles it (`loadContract`). The name
 * of an entry is a hash of the documents, their names, the settings, the version and the engine. An entry contains its
 * own checksum. Ignores entries that are corrupt, incomplete, or owned or writable by another user. A failure to write
 * an entry is not an error.
 *
 * @throws the failures of `loadContract`; invalid documents are never cached
 */
export async function cachedContract(
  documents: readonly SourceText[],
  cache: ContractCache | undefined,
  settings: RuleSettings["rules"] = {},
): Promise<Contract> {
  const entry = entryOf(documents, cache, settings);
  const kept = entry === undefined ? undefined : await readCached(entry);
  if (kept !== undefined) return kept;
  const { loadContract } = await import("../contract/load-contract.ts");
  const contract = await interruptibleSoon(() => loadContract(documents, settings));
  if (entry !== undefined) await writeCached(contract, entry).catch(ignoreStorage);
  return contract;
}

/** Returns the cached contract; undefined if the cache does not contain the contract. */
export async function storedContract(
  documents: readonly SourceText[],
  cache: ContractCache | undefined,
  settings: RuleSettings["rules"] = {},
): Promise<Contract | undefined> {
  const entry = entryOf(documents, cache, settings);
  return entry === undefined ? undefined : readCached(entry);
}

function entryOf(
  documents: readonly SourceText[],
  cache: ContractCache | undefined,
  settings: NonNullable<RuleSettings["rules"]>,
): string | undefined {
  if (cache === undefined) return undefined;
  const { folder, version } = cache;
  const engine = `${process.versions.v8} ${process.arch}`;
  const hashed = [version, engine, canonicalJson(settings), ...documents.flatMap(({ file, text }) => [file, text])];
  return path.join(folder, `${sha256(Buffer.from(JSON.stringify(hashed))).toString("hex")}.contract`);
}

async function readCached(entry: string): Promise<Contract | undefined> {
  const bytes = await readEntry(entry).catch(ignoreStorage);
  if (bytes === undefined) return undefined;
  const body = bytes.subarray(CHECKSUM_BYTES);
  if (!sha256(body).equals(bytes.subarray(0, CHECKSUM_BYTES))) return undefined;
  // The checksum shows that these are the bytes that `writeCached` wrote, and the name identifies the documents.
  const contract: Contract = deserialize(body);
  return contract;
}

const CHECKSUM_BYTES = 32;

/** Reads an entry. Does not follow links. Returns undefined for a file that another user could have written. */
async function readEntry(entry: string): Promise<Buffer | undefined> {
  const handle = await open(entry, constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    const { mode, uid } = await handle.stat();
    const isOwn = process.getuid === undefined || uid === process.getuid();
    return isOwn && (mode & WRITABLE_BY_OTHERS) === 0 ? await handle.readFile() : undefined;
  } finally {
    await handle.close();
  }
}

const WRITABLE_BY_OTHERS = 0o022;

async function writeCached(contract: Contract, entry: string): Promise<void> {
  const body = serialize(contract);
  const folder = path.dirname(entry);
  for (const one of [path.dirname(path.dirname(folder)), path.dirname(folder), folder]) {
    await mkdir(one, { mode: 0o700 }).catch(ignoreStorage);
  }
  await replaceFile(entry, Buffer.concat([sha256(body), body]), { durable: false });
  await removeOldest(folder);
}

const MAX_ENTRIES = 16;
const ENTRY_NAME = /^(?:[0-9a-f]{64}\.contract|\.[0-9a-f]{64}\.contract\.[0-9a-f]{12}\.tmp)$/;

/**
 * Removes the oldest files if there are more than `MAX_ENTRIES`. Every change to an overlay adds an entry, and a killed
 * process leaves a temporary file behind.
 */
async function removeOldest(folder: string): Promise<void> {
  const files = (await readdir(folder)).filter((name) => ENTRY_NAME.test(name)).map((name) => path.join(folder, name));
  if (files.length <= MAX_ENTRIES) return;
  const aged = await Promise.all(
    files.map(async (file) => ({ file, modified: (await stat(file).catch(ignoreStorage))?.mtimeMs ?? 0 })),
  );
  const oldest = aged.toSorted((one, other) => other.modified - one.modified).slice(MAX_ENTRIES);
  for (const { file } of oldest) await unlink(file).catch(ignoreStorage);
}

function sha256(bytes: Buffer): Buffer {
  return createHash("sha256").update(bytes).digest();
}

/** Ignores a file-system error, because the cache is optional. Throws any other error. */
function ignoreStorage(error: unknown): undefined {
  if (errorCode(error) !== undefined) return undefined;
  throw error;
}
