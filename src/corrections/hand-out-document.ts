import { stat } from "node:fs/promises";
import path from "node:path";
import { z } from "zod";
import { errorCode } from "../files/error-code.ts";
import { Failure } from "../model/failure.ts";
import { readTextFile } from "../read/text/text-file.ts";
import { WORKBOOK_FILE } from "../report/rejects/reject-file.ts";
import { FINGERPRINT_FILE, HAND_OUT_FILE, type HandOutDocument } from "../report/rejects/handed-out.ts";

const handOutSchema: z.ZodType<HandOutDocument> = z.object({
  version: z.literal(1),
  secret: z.string().min(32),
  command: z.string(),
  run: z.string(),
  settings: z.record(z.string(), z.unknown()),
  sheets: z.record(z.string(), z.string()),
  files: z.array(
    z.object({
      source: z.string(),
      file: z.string().regex(/^rejects[^/\\]*$/),
      kind: z.enum(["csv", "json"]),
      columns: z.array(z.string()),
      rows: z.number(),
    }),
  ),
});

/**
 * What the report in `folder` remembers of the rejects that it handed out.
 * @throws Failure `source_unreadable` where there is no such report, `config` where others could have written it
 */
export async function readHandOut(folder: string): Promise<HandOutDocument> {
  const file = handOutPath(folder);
  await refuseForeign(file, folder);
  const { text } = await readTextFile(file);
  const parsed = handOutSchema.safeParse(jsonOf(text));
  if (parsed.success) return parsed.data;
  throw new Failure("source_unreadable", `${file}: is not what a report writes`, { hint: FEED_AS_SOURCES });
}

/**
 * The files of rejects by source: sheets of the workbook where that is what has changed since it was handed out.
 * @throws Failure `usage` when both have
 */
export async function returnedFiles(
  folder: string,
  { files, sheets }: HandOutDocument,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const workbook = path.join(folder, WORKBOOK_FILE);
  const isWorkbookMeant = Object.keys(sheets).length > 0 && (await isWorkbookReturned(folder, files));
  const bySource = new Map<string, readonly string[]>();
  for (const { source, file, kind } of files) {
    const sheet = isWorkbookMeant && kind === "csv" ? sheets[source] : undefined;
    const place = sheet === undefined ? path.join(folder, file) : `${workbook}#${sheet}`;
    bySource.set(source, [...(bySource.get(source) ?? []), place]);
  }
  return bySource;
}

async function isWorkbookReturned(folder: string, files: HandOutDocument["files"]): Promise<boolean> {
  const handedOutMs = (await stat(handOutPath(folder))).mtimeMs;
  const isChanged = async (name: string): Promise<boolean> => {
    const status = await stat(path.join(folder, name)).catch(() => undefined);
    return status !== undefined && status.mtimeMs > handedOutMs;
  };
  if (!(await isChanged(WORKBOOK_FILE))) return false;
  for (const { file } of files) {
    if (!(await isChanged(file))) continue;
    throw new Failure("usage", `${folder}: both ${WORKBOOK_FILE} and ${file} have changed since they were handed out`, {
      hint: "move the one that is not to be read to another place",
    });
  }
  return true;
}

export function handOutPath(folder: string): string {
  return path.join(folder, HAND_OUT_FILE);
}

export function fingerprintPath(folder: string): string {
  return path.join(folder, FINGERPRINT_FILE);
}

const FEED_AS_SOURCES = "give the corrected files as sources instead: --source <name>=<path>";

/** It names a mapping, whose functions are run: only this user's word counts. */
async function refuseForeign(file: string, folder: string): Promise<void> {
  const status = await stat(file).catch((error: unknown) => {
    if (errorCode(error) !== "ENOENT" && errorCode(error) !== "ENOTDIR") throw error;
    return undefined;
  });
  if (status === undefined) {
    throw new Failure("source_unreadable", `${folder}: holds no rejects that can be taken back: no ${HAND_OUT_FILE}`, {
      hint: `name the folder of a report with rejects; otherwise ${FEED_AS_SOURCES}`,
    });
  }
  if (process.platform === "win32") return;
  if ((status.mode & WRITABLE_BY_OTHERS) === 0 && status.uid === process.getuid?.()) return;
  throw new Failure("config", `${file}: somebody else can have changed it, and it says which mapping is used`, {
    hint: `where it is yours all the same: \`chown $USER ${file} && chmod 600 ${file}\``,
  });
}

const WRITABLE_BY_OTHERS = 0o022;

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
