import { stat } from "node:fs/promises";
import { changedFiles, manifestPath, readManifest } from "../../corrections/read-manifest.ts";
import { Failure } from "../../model/failure.ts";

/**
 * Checks that a report folder which is about to be replaced contains no corrections and no rejects of another run,
 * which may not have been returned yet.
 * @throws Failure `usage` if it does; the failures of `readManifest`
 */
export async function refuseChangedRejects(folder: string, run: string): Promise<void> {
  const isReport = await stat(manifestPath(folder)).then(
    () => true,
    () => false,
  );
  if (!isReport) return;
  const manifest = await readManifest(folder);
  if (manifest.run !== run) {
    throw new Failure("usage", `${folder}: contains rejects of run ${manifest.run}, which would be overwritten`, {
      hint: "choose another folder with --out",
    });
  }
  const [changed, ...others] = await changedFiles(folder, manifest);
  if (changed === undefined) return;
  const also = others.length === 0 ? "" : ` and ${others.length} more`;
  throw new Failure("usage", `${folder}: ${changed}${also} changed since the export, and would be overwritten`, {
    hint: `re-import the corrections with \`migrate push --rejects ${folder}\`, or choose another folder with --out`,
  });
}
