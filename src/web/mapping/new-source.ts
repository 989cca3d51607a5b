import { findJoins, keyColumns } from "../../commands/init/joins.ts";
import { profileOptions } from "../../commands/init/init.ts";
import { profileSources, type SourceProfile } from "../../commands/init/profile/profile-sources.ts";
import type { Dependencies } from "../../job/dependencies.ts";
import { openJobInput } from "../../job/job-input.ts";
import { pathsFrom } from "../../job/contract-files.ts";
import { definedMembers } from "../../json/defined-members.ts";
import { readMapping } from "../../map/document/mapping-document.ts";
import { Failure } from "../../model/failure.ts";
import type { SourceSpec } from "../../model/source-spec.ts";
import { withDescendants } from "../../read/input/opened-source.ts";
import { type MappingText, withoutMessages } from "./mapping-draft.ts";
import { mappingPath, pathInMapping } from "./mapping-file.ts";
import type { NewSourceData } from "./mapping-data.ts";

interface NewFile extends MappingText {
  /** Path of the file, or of a sheet (`book.xlsx#Customers`), relative to the folder of the project. */
  readonly file: string;
}

/**
 * Analyses a file, and finds the mapping's source to which the file's rows belong.
 * @throws Failure if the mapping or a file cannot be read
 */
export async function describeNewSource(
  { job, text, file }: NewFile,
  dependencies: Dependencies,
): Promise<NewSourceData> {
  const quiet = withoutMessages(dependencies);
  const document = readMapping({ file: mappingPath(job), text });
  const { plan, input } = await openJobInput(document, job, quiet);
  await input.close();
  const specs = withDescendants<SourceSpec>(plan);
  const added = { name: undefined, patterns: [pathsFrom(job.folder)(file)] };
  const named = [...specs.map(({ name: each, files }) => ({ name: each, patterns: files })), added];
  const profiles = await profileSources(named, profileOptions(job, quiet));
  try {
    const profile = profiles.at(-1);
    if (profile === undefined || profile.columns.length === 0) throw new Failure("usage", `${file} has no columns`);
    return {
      name: profile.name,
      file: pathInMapping(job, file),
      rows: profile.rows,
      columns: profile.columns.map((column) => column.name),
      keys: keyColumns(profile).map((column) => column.name),
      ...definedMembers({ join: joinOf(profiles, profile) }),
    };
  } finally {
    for (const { columns } of profiles) for (const { hashes } of columns) hashes.close();
  }
}

function joinOf(profiles: readonly SourceProfile[], added: SourceProfile): NewSourceData["join"] {
  const best = findJoins(profiles).find(({ from }) => from === added);
  return best && { parent: best.to.name, column: best.column.name, parentColumn: best.key.name };
}
