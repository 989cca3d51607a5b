import path from "node:path";
import { Failure } from "../model/failure.ts";
import { NEEDS_WORK } from "../model/outcome.ts";
import type { ChildSpec, SourceSpec } from "../model/source-spec.ts";
import type { OpenOptions } from "../read/input/opened-file.ts";
import { keysIn, openSource, withDescendants } from "../read/input/opened-source.ts";
import { canonicalKey } from "../text/canonical-key.ts";
import { plainText } from "../text/plain-text.ts";
import { shellCommand } from "../text/shell-command.ts";
import { openCorrectionIndex, readOutcomes } from "./correction-index.ts";
import type { RejectsReport } from "./read-manifest.ts";
import { withoutJoin } from "./returned-rows.ts";

export interface RejectsFolder extends RejectsReport {
  /** The files of each source in this folder. */
  readonly plan: SourceSpec;
}

const SCHEMA = `
  create table claimed (kind text, name text, folder integer, primary key (kind, name)) without rowid;`;

/**
 * Refuses folders of rejects that contain the same record, which would be sent twice.
 * @throws Failure `usage`, naming two folders
 */
export function refuseSharedRecords(folders: readonly RejectsFolder[], tempFolder: string): Promise<void> {
  return withClaims(folders, tempFolder, async (claim) => {
    for (const [at, { folder, document }] of folders.entries()) {
      for await (const { record, key } of exportedRecords(path.join(folder, "outcomes.ndjson"))) {
        const other = claim(`record ${document.run}`, String(record), at);
        if (other !== undefined) throw sharedRecord(key ?? String(record), [other, folder]);
        if (key === undefined) continue;
        const sameKey = claim("key", canonicalKey(key), at);
        // Records of one run may have the same key, whether they are in the same file or in different folders.
        if (sameKey !== undefined && folders.find((each) => each.folder === sameKey)?.document.run !== document.run)
          throw sharedRecord(key, [sameKey, folder]);
      }
    }
  });
}

/**
 * Refuses folders of rejects with rows that would be joined to a record of another folder.
 * @throws Failure `usage`, naming two folders
 */
export function refuseSharedRows(
  folders: readonly RejectsFolder[],
  { reading, tempFolder }: { readonly reading: OpenOptions; readonly tempFolder: string },
): Promise<void> {
  return withClaims(folders, tempFolder, async (claim) => {
    for (const [at, { folder, plan }] of folders.entries()) {
      for (const parent of withDescendants<SourceSpec>(plan)) {
        for (const child of parent.children) {
          for await (const keys of keysIn(await openSource(withoutJoin(child), reading), child.on)) {
            for (const key of keys) {
              const other = key === undefined ? undefined : claim(`rows ${child.name}`, key, at);
              if (other !== undefined) throw sharedRows(child, parent, [other, folder]);
            }
          }
        }
      }
    }
  });
}

/**
 * Claims a name for the folder with this number. If another folder has already claimed the name, returns that folder;
 * otherwise undefined.
 */
type Claim = (kind: string, name: string, folder: number) => string | undefined;

/**
 * Runs work that claims names. The claims are on disk, so that memory use does not depend on the number of claims. Does
 * nothing for a single folder.
 */
async function withClaims(
  folders: readonly RejectsFolder[],
  tempFolder: string,
  work: (claim: Claim) => Promise<void>,
): Promise<void> {
  if (folders.length < 2) return;
  const { database, rows, close } = openCorrectionIndex(tempFolder);
  try {
    database.exec(SCHEMA);
    database.exec("begin");
    const insert = database.prepare("insert into claimed values (?,?,?) on conflict do nothing");
    await work((kind, name, folder) => {
      insert.run(kind, name, folder);
      const [found] = rows("select folder from claimed where kind = ? and name = ?", kind, name);
      const first = Number(found?.["folder"]);
      return first === folder ? undefined : folders[first]?.folder;
    });
    database.exec("commit");
  } finally {
    close();
  }
}

async function* exportedRecords(outcomes: string) {
  for await (const { record, key, status } of readOutcomes(outcomes, outcomes)) {
    if (typeof record !== "number" || !EXPORTED.has(status)) continue;
    yield { record, key: typeof key === "string" ? key : undefined };
  }
}

const EXPORTED: ReadonlySet<unknown> = NEEDS_WORK;

type TwoFolders = readonly [one: string, other: string];

function sharedRecord(key: string, [one, other]: TwoFolders): Failure {
  return new Failure("usage", `record ${plainText(key)} is in both ${one} and ${other}; nothing was sent`, {
    hint: "omit the older of the two folders",
  });
}

/**
 * Suggests separate re-imports only if several parents may share a row. Otherwise, the two folders contain parts of one
 * record, or two records with the same key, and one of the parts would be sent without the other.
 */
function sharedRows({ name, on, parentKey }: ChildSpec, parent: SourceSpec, folders: TwoFolders): Failure {
  const separately = folders.map((folder) => shellCommand(["migrate", "push", "--rejects", folder]));
  const hint =
    parentKey === undefined || parentKey === parent.key
      ? `put all rows with this ${on} in one folder, or correct them in the report of the whole run`
      : `re-import the folders separately, for example with \`${separately.join("`, then `")}\``;
  return new Failure(
    "usage",
    `rows of source ${name} with the same ${on} are in both ${folders.join(" and ")}, so they would be joined twice; nothing was sent`,
    { hint },
  );
}
