import { chmodSync, lstatSync, mkdirSync, readdirSync, symlinkSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { type FolderUser, refuseSharedFolder, sharingReason } from "../../src/files/shared-folder.ts";
import { checkReportFolder } from "../../src/report/report-files.ts";
import { temporaryFolder } from "../temporary-folder.ts";

function folderOf(mode: number): string {
  const folder = path.join(temporaryFolder(), "out");
  mkdirSync(folder);
  chmodSync(folder, mode);
  return folder;
}

describe("a folder for reports", () => {
  it.each([0o777, 0o1777, 0o702])("is refused if other users can write to it (%o)", async (mode) => {
    const folder = folderOf(mode);
    await expect(checkReportFolder(folder, [])).rejects.toMatchObject({
      code: "usage",
      message: `${folder}: every user can write to the folder, so nothing is written there`,
    });
    expect(readdirSync(folder)).toEqual([]);
  });

  it.each([0o700, 0o755, 0o711])("is accepted if other users can only read it (%o)", async (mode) => {
    await expect(checkReportFolder(folderOf(mode), [])).resolves.toBeUndefined();
  });

  it.each(["link", "link/", "link/."])("is refused if it is a link: %s", async (name) => {
    const folder = temporaryFolder({ "real/file": "" });
    symlinkSync(path.join(folder, "real"), path.join(folder, "link"));
    await expect(checkReportFolder(`${folder}/${name}`, [])).rejects.toMatchObject({
      code: "usage",
      message: expect.stringContaining("the folder is a symbolic link"),
    });
    expect(readdirSync(path.join(folder, "real"))).toEqual(["file"]);
  });

  it("is refused if it is a link to a missing folder", async () => {
    const folder = temporaryFolder();
    symlinkSync(path.join(folder, "nowhere"), path.join(folder, "link"));
    await expect(checkReportFolder(path.join(folder, "link"), [])).rejects.toMatchObject({ code: "usage" });
    expect(readdirSync(folder)).toEqual(["link"]);
  });

  it("may be missing", async () => {
    await expect(refuseSharedFolder(path.join(temporaryFolder(), "new"))).resolves.toBeUndefined();
  });
});

function stats(mode: number, owner: FolderUser): Parameters<typeof sharingReason>[0] {
  return { ...owner, mode, isSymbolicLink: () => false };
}

describe("sharingReason", () => {
  const own = { uid: 1000, gid: 1000 };
  it.each([
    ["the user's own group can write", stats(0o775, own), own, undefined],
    ["another group can write", stats(0o775, { uid: 1000, gid: 50 }), own, "a group can write to the folder"],
    ["another user owns the folder", stats(0o755, { uid: 1001, gid: 1000 }), own, "the folder belongs to another user"],
    ["root owns the folder", stats(0o755, { uid: 0, gid: 0 }), own, undefined],
    ["another user owns the folder and root runs the program", stats(0o755, own), { uid: 0, gid: 0 }, undefined],
    ["the system has no file modes", stats(0o777, own), undefined, undefined],
  ])("returns a reason only if another user could change files: %s", (_, folder, user, expected) => {
    expect(sharingReason(folder, user)).toBe(expected);
  });

  it("detects a link on any system", () => {
    const folder = temporaryFolder();
    symlinkSync(folder, path.join(folder, "link"));
    expect(sharingReason(lstatSync(path.join(folder, "link")), undefined)).toBe("the folder is a symbolic link");
  });
});
