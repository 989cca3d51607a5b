import { stat } from "node:fs/promises";
import { changedFiles, manifestPath, readManifest } from "../../corrections/read-manifest.ts";
import { Failure } from "../../model/failure.ts";

/**
 * Checks that a report folder which is about to be replaced contains no corrections.
 * @throws Failure `usage` if rejects in it have changed since their export; the failures of `readManifest`
 */
export async function refuseChangedRejects(folder: string): Promise<void> {
  const isReport = await stat(manifestPath(folder)).then(
    () => true,
    () => false,
  );
  if (!isReport) return;
  const [changed, ...others] = await changedFiles(folder, await readManifest(folder));
  if (changed === undefined) return;
  const also = others.length === 0 ? "" : ` and ${others.length} more`;
  throw new Failure("usage", `${folder}: ${changed}${also} changed since the export, and would be overwritten`, {
    hint: `re-import the corrections with \`migrate push --rejects ${folder}\`, or choose another folder with --out`,
  });
}
