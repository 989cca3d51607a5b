import { existsSync } from "node:fs";
import { realpath } from "node:fs/promises";
import { replaceFile } from "../files/replace-file.ts";
import { Failure } from "../model/failure.ts";
import type { JsonObject, JsonValue } from "../json/json-value.ts";
import { PRODUCT_FIELDS, productPages } from "../platform/reading/product-list.ts";
import { readReferenceList, type ReferenceRows } from "../read/lists/reference-list.ts";
import { csvText } from "../report/csv-text.ts";
import { counted } from "../text/count.ts";
import type { PlatformEnvironment } from "../job/dependencies.ts";
import { connectToRead, hostOf } from "../job/target-connection.ts";
import type { JobSettings } from "../job/settings/job-settings.ts";
import { pathsFrom } from "../job/contract-files.ts";
import type { TargetSettings } from "../job/settings/platform-settings.ts";
import type { Product } from "../platform/reading/received-records.ts";

export interface RefreshOptions {
  readonly job: JobSettings;
  readonly target: TargetSettings;
}

/**
 * Updates the reference list `products` from the platform and reports the changes. Keeps the values of columns that
 * only the file has. If the platform's list is empty or cannot be read completely, the file is unchanged.
 * @throws Failure `config` if the configuration names no such list, `storage` if the list cannot be written
 */
export async function refreshReferences(
  { job, target }: RefreshOptions,
  dependencies: PlatformEnvironment,
): Promise<void> {
  const named = job.references?.["products"];
  if (named === undefined) {
    throw new Failure("config", "--refresh-references needs a file for the products", {
      hint: "name the file in migrate.yaml: `references: { products: lists/products.csv }`",
    });
  }
  const file = pathsFrom(job.folder)(named);
  const before = existsSync(file) ? await readReferenceList(file) : undefined;
  const products = await readProducts(target, dependencies);
  if (products.length === 0) {
    dependencies.notice(`${named}: not changed, because ${hostOf(target)} lists no products`);
    return;
  }
  await writeList(file, listText(products, before));
  const changes = before === undefined ? "" : changesInWords(before, products);
  dependencies.notice(`${named}: ${counted(products.length, "product")} from ${hostOf(target)}${changes}`);
}

/** Reads current and past products, because a migrated account may have a product of either kind. */
async function readProducts(target: TargetSettings, dependencies: PlatformEnvironment): Promise<readonly Product[]> {
  const { client, close } = await connectToRead(target, "public", dependencies);
  try {
    const byCode = new Map<string, Product>();
    for (const isHistorical of [undefined, true]) {
      for await (const { results } of productPages(client, { isHistorical })) {
        for (const product of results) byCode.set(product.code, product);
      }
    }
    return [...byCode.values()];
  } finally {
    await close();
  }
}

/** The columns of the list. Omits long strings and lists, which do not fit into a table. */
const LIST_COLUMNS = PRODUCT_FIELDS.filter((field) => field !== "description" && field !== "links");

function listText(products: readonly Product[], before: ReferenceRows | undefined): string {
  const own = (before?.columns ?? []).filter((column) => !LIST_COLUMNS.includes(column));
  const known = new Map((before?.rows ?? []).map((row) => [row["code"], row]));
  const rows = products.map((product) => {
    const kept: JsonObject = known.get(product.code) ?? {};
    return [...LIST_COLUMNS.map((column) => cellOf(product[column])), ...own.map((column) => cellOf(kept[column]))];
  });
  return csvText([[...LIST_COLUMNS, ...own], ...rows]);
}

function cellOf(value: JsonValue | undefined): string {
  if (value === undefined || value === null) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}

function changesInWords({ rows }: ReferenceRows, products: readonly Product[]): string {
  const before = new Set<JsonValue | undefined>(rows.map(({ code }) => code));
  const after = new Set<JsonValue | undefined>(products.map(({ code }) => code));
  const added = [...after].filter((code) => !before.has(code)).length;
  const removed = [...before].filter((code) => !after.has(code)).length;
  return `; ${added} new, ${removed} removed`;
}

/** Writes the list. If the path is a symbolic link, replaces the file to which the link points. */
async function writeList(file: string, text: string): Promise<void> {
  const target = await realpath(file).catch(() => file);
  try {
    await replaceFile(target, text, { mode: 0o666 });
  } catch (cause) {
    throw new Failure("storage", `${file}: the reference list cannot be written`, {
      hint: "create its folder, and check that it is writable",
      cause,
    });
  }
}
