import path from "node:path";
import { replaceFile } from "../../files/replace-file.ts";
import { stat } from "node:fs/promises";
import type { Dependencies } from "../../job/dependencies.ts";
import { type JobSettings, openJob } from "../../job/job.ts";
import { pathsFrom } from "../../job/contract-files.ts";
import { valueAt } from "../../json/json-value.ts";
import { parseDocument } from "../../contract/document/yaml-document.ts";
import { Failure } from "../../model/failure.ts";
import type { SourceSpec } from "../../model/source-spec.ts";
import { readTextFile } from "../../read/text/text-file.ts";
import { checkMapping, type MappingCheck } from "./check-mapping.ts";
import { guessMissing } from "./guess/guess-missing.ts";
import { profileSources } from "./profile/profile-sources.ts";
import { openingOf, rowNotices } from "./init.ts";
import { addFields } from "./write/add-fields.ts";

/** The result of adding fields to a mapping. */
export interface InitUpdate {
  readonly file: string;
  readonly added: readonly string[];
  /** Required attrs that nothing fills and no column fits. */
  readonly open: readonly string[];
  readonly check: MappingCheck;
}

/**
 * Adds missing required fields to a mapping if a column fits them, and changes nothing else.
 * @throws Failure `usage` if no mapping is named, and the failures of reading the mapping and its sources
 */
export async function updateMapping(settings: JobSettings, dependencies: Dependencies): Promise<InitUpdate> {
  if (settings.mapping === undefined) {
    throw new Failure("usage", "--update needs a mapping to add to", {
      hint: "name it with --mapping or in migrate.yaml; without --update, init writes a new one",
    });
  }
  const file = pathsFrom(settings.folder)(settings.mapping);
  const { plan, operation, contract, input } = await openJob(settings, { ...dependencies, notice: () => undefined });
  await input.close();
  const profiles = await profileSources(
    sourcesOf(plan).map(({ name, files }) => ({ name, patterns: files })),
    {
      opening: openingOf(settings, dependencies),
      temporaryFolder: dependencies.temporaryFolder,
      onRows: rowNotices(dependencies),
      signal: dependencies.drain,
    },
  );
  const { text } = await readTextFile(file);
  const written = valueAt(parseDocument({ file, text }, "mapping_invalid").value, ["payload"]) ?? {};
  const guesses = guessMissing({ plan, profiles, written }, { operation, contract, supplier: settings.supplier });
  const { text: extended, added, open } = addFields(text, guesses);
  if (added.length > 0) await replaceFile(file, extended, { mode: (await stat(file)).mode & 0o777 });
  return { file: path.normalize(file), added, open, check: await checkMapping(settings, dependencies) };
}

function sourcesOf(spec: SourceSpec): readonly SourceSpec[] {
  return [spec, ...spec.children.flatMap(sourcesOf)];
}
