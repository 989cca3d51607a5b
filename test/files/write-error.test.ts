import { mkdirSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { remedyOf } from "../../src/files/write-error.ts";
import { temporaryFolder } from "../temporary-folder.ts";

function failed(code: string): Error {
  return Object.assign(new Error(code), { code });
}

describe("the remedy for a failed write", () => {
  test.each([
    ["EACCES", "grant this user write access to HERE"],
    ["EPERM", "grant this user write access to HERE"],
    ["EROFS", "make HERE writable: its file system is mounted read-only"],
    ["ENOSPC", "free some disk space"],
    ["EDQUOT", "free some disk space"],
    ["ENAMETOOLONG", "choose a shorter name"],
    ["ENOTDIR", "move the file HERE"],
    ["EEXIST", "move the file HERE"],
    ["ENOENT", "create the folder HERE/not"],
    ["EIO", "free some disk space, or grant this user write access to HERE"],
  ])("after %s names the folder that is the cause: %s", (code, remedy) => {
    const folder = path.join(temporaryFolder(), "there");
    mkdirSync(folder);
    expect(remedyOf(failed(code), path.join(folder, "not", "yet.csv"))).toBe(remedy.replace("HERE", folder));
  });

  test("names the file whose mode cannot be changed, because it belongs to another user", () => {
    const folder = temporaryFolder();
    const file = path.join(folder, "ledger.db");
    const error = Object.assign(failed("EPERM"), { syscall: "chmod", path: file });
    expect(remedyOf(error, folder)).toBe(`make this user the owner of ${file}`);
  });
});
