import { chmodSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { temporaryFolder } from "../temporary-folder.ts";
import { describe, expect, it } from "vitest";
import { loadContract } from "../../src/contract/load-contract.ts";
import { cachedContract, type ContractCache } from "../../src/job/contract-cache.ts";
import { compileValidator } from "../../src/validate/compile-validator.ts";

const OWN = fileURLToPath(new URL("../../fixtures/contract/contract.yaml", import.meta.url));
const DOCUMENTS = [{ file: "contract.yaml", text: readFileSync(OWN, "utf8") }];

function newCache(): ContractCache {
  return { folder: path.join(temporaryFolder(), "energy-migrate/contracts"), version: "1" };
}

function entries({ folder }: ContractCache): readonly string[] {
  return readdirSync(folder);
}

function onlyEntry(cache: ContractCache): string {
  const [entry, second] = entries(cache);
  if (entry === undefined || second !== undefined) throw new Error(`${entries(cache).length} entries`);
  return path.join(cache.folder, entry);
}

describe("a cached contract", () => {
  it("matches the compiled contract", async () => {
    const cache = newCache();
    const compiled = await cachedContract(DOCUMENTS, cache);
    const kept = await cachedContract(DOCUMENTS, cache);
    expect(entries(cache)).toHaveLength(1);
    expect(kept).not.toBe(compiled);
    expect(kept).toEqual(compiled);
    expect(compiled).toEqual(loadContract(DOCUMENTS));
    for (const [index, { body }] of kept.operations.entries()) {
      const twin = compiled.operations[index]?.body;
      if (body === undefined || twin === undefined) continue;
      const payload = { unknown: 1, external_account_number: " ", customers: [{ date_of_birth: "2024-02-30" }] };
      const found = compileValidator(body, { keepValues: false })(payload);
      expect(found).toEqual(compileValidator(twin, { keepValues: false })(payload));
      expect(found).not.toEqual([]);
    }
  });

  it("can be read only by its owner", async () => {
    const cache = newCache();
    await cachedContract(DOCUMENTS, cache);
    expect(statSync(onlyEntry(cache)).mode & 0o777).toBe(0o600);
    expect(statSync(cache.folder).mode & 0o777).toBe(0o700);
  });

  it("is used only for the rule settings that it was compiled with", async () => {
    const cache = newCache();
    for (const settings of [{}, { strict: true }, { strict: false }, { strict: true }]) {
      await cachedContract(DOCUMENTS, cache, settings);
    }
    expect(entries(cache)).toHaveLength(3);
  });

  it("is used only for the same documents with the same names in the same order, and the same version", async () => {
    const cache = newCache();
    const [document] = DOCUMENTS;
    if (document === undefined) throw new Error("no document");
    const overlay = { file: "ours.yaml", text: 'overlay: 1.0.0\ninfo: { title: x, version: "1" }\nactions: []\n' };
    await cachedContract(DOCUMENTS, cache);
    await cachedContract(DOCUMENTS, { ...cache, version: "2" });
    await cachedContract([{ ...document, file: "other.yaml" }], cache);
    await cachedContract([{ ...document, text: `${document.text}\n` }], cache);
    await cachedContract([document, overlay], cache);
    expect(entries(cache)).toHaveLength(5);
    await cachedContract([document, overlay], cache);
    expect(entries(cache)).toHaveLength(5);
  });

  it.each([
    ["truncated", (bytes: Buffer) => bytes.subarray(0, bytes.length - 7)],
    ["empty", () => Buffer.alloc(0)],
    ["corrupt in one bit", turnedBit],
    ["overwritten with other bytes", () => Buffer.from("not a contract")],
  ])("is compiled again and replaced if its file is %s", async (_how, corruption) => {
    const cache = newCache();
    const compiled = await cachedContract(DOCUMENTS, cache);
    const entry = onlyEntry(cache);
    const whole = readFileSync(entry);
    writeFileSync(entry, corruption(whole));
    expect(await cachedContract(DOCUMENTS, cache)).toEqual(compiled);
    const { ino } = statSync(onlyEntry(cache));
    expect(await cachedContract(DOCUMENTS, cache)).toEqual(compiled);
    expect(statSync(onlyEntry(cache)).ino).toBe(ino);
  });

  it("is not used if other users could have written it, or if it is a link", async () => {
    const cache = newCache();
    const compiled = await cachedContract(DOCUMENTS, cache);
    const entry = onlyEntry(cache);
    chmodSync(entry, 0o666);
    expect(await cachedContract(DOCUMENTS, cache)).toEqual(compiled);
    expect(statSync(entry).mode & 0o777).toBe(0o600);
    const elsewhere = path.join(cache.folder, "elsewhere");
    writeFileSync(elsewhere, "untouched");
    rmSync(entry);
    symlinkSync(elsewhere, entry);
    expect(await cachedContract(DOCUMENTS, cache)).toEqual(compiled);
    expect(readFileSync(elsewhere, "utf8")).toBe("untouched");
  });

  it("is complete after many concurrent calls have written it", async () => {
    const cache = newCache();
    const all = await Promise.all(Array.from({ length: 12 }, () => cachedContract(DOCUMENTS, cache)));
    const compiled = loadContract(DOCUMENTS);
    for (const contract of all) expect(contract).toEqual(compiled);
    expect(await cachedContract(DOCUMENTS, { ...cache })).toEqual(compiled);
    expect(entries(cache)).toHaveLength(1);
  });

  it("is one of at most 16 contracts that the cache keeps", async () => {
    const cache = newCache();
    for (let number = 0; number < 20; number += 1) {
      await cachedContract(
        [{ file: "c.yaml", text: `openapi: 3.0.3\ninfo: { version: "${number}" }\npaths: {}\n` }],
        cache,
      );
    }
    expect(entries(cache)).toHaveLength(16);
  });
});

it("a folder that cannot be created or written is not used as a cache, and causes no failure", async () => {
  const { folder } = newCache();
  for (const impossible of ["/proc/none/energy-migrate/contracts", path.join(OWN, "a/b"), path.join(folder, "x/y/z")]) {
    const contract = await cachedContract(DOCUMENTS, { folder: impossible, version: "1" });
    expect(contract.operations).toHaveLength(5);
  }
});

it("a contract that cannot be loaded is refused each time", async () => {
  const cache = newCache();
  const refused = (): Promise<unknown> => cachedContract([{ file: "c.yaml", text: "a: [" }], cache);
  await expect(refused()).rejects.toMatchObject({ code: "contract_invalid" });
  await expect(refused()).rejects.toMatchObject({ code: "contract_invalid" });
});

function turnedBit(bytes: Buffer): Buffer {
  const copy = Buffer.from(bytes);
  const middle = Math.floor(copy.length / 2);
  copy.writeUInt8(copy.readUInt8(middle) ^ 1, middle);
  return copy;
}
