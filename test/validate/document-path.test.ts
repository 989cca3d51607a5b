import { describe, expect, it } from "vitest";
import { compileValidator } from "../../src/validate/compile-validator.ts";
import { codes, object, problemsOf, text } from "./field-types.ts";

const PATH = text({ documentPath: true });

describe("a document path", () => {
  it.each([
    "notes/2024/A-123.pdf",
    "letter.pdf",
    "Zähler/münchen ablesung.pdf",
    "電気/契約書.pdf",
    "a.b/c..d/e...pdf",
    "notes/10:30 call.txt",
    "50%_off.pdf",
    "backup~/a~b.txt",
    "emoji/👩‍🔧.png",
  ])("may be %s", (path) => {
    expect(codes(PATH, path)).toEqual([]);
  });

  it.each([
    ["../secret.pdf", "parent_segment"],
    ["a/../../b", "parent_segment"],
    ["a/..", "parent_segment"],
    ["a/./b", "parent_segment"],
    [".", "parent_segment"],
    ["..\\b", "backslash"],
    ["a\\b", "backslash"],
    ["/etc/passwd", "absolute"],
    ["//host/share", "absolute"],
    ["\\\\host\\share", "absolute"],
    ["~/x", "absolute"],
    ["~root/x", "absolute"],
    ["C:\\x", "scheme"],
    ["c:/x", "scheme"],
    ["file:///etc/passwd", "scheme"],
    ["s3://bucket/x", "scheme"],
    ["javascript:x", "scheme"],
    ["%2e%2e%2fx", "encoded"],
    ["a/%252e%252e/x", "encoded"],
    ["a/%c0%ae%c0%ae/x", "encoded"],
    ["a%00b", "encoded"],
    ["a//b", "empty_segment"],
    ["a/b/", "empty_segment"],
    ["a./b", "trailing_dot_or_space"],
    ["a /b", "trailing_dot_or_space"],
    ["a/b.", "trailing_dot_or_space"],
    ["a/b ", "trailing_dot_or_space"],
    [" a/b", "trailing_dot_or_space"],
    ["a/.../b", "trailing_dot_or_space"],
    ["a\nb", "control_character"],
    ["a\u0007b", "control_character"],
    ["a\u202efdp.exe", "control_character"],
    ["a\u2028b", "control_character"],
    ["a\u200bb", "control_character"],
    ["cafe\u0301.pdf", "not_normalised"],
    ["x".repeat(1025), "too_long"],
    ["ä".repeat(513), "too_long"],
  ])("may not be %j (%s)", (path, reason) => {
    expect(problemsOf(PATH, path)).toMatchObject([{ code: "unsafe_document_path", reason, severity: "error" }]);
  });

  it("may not hold a null character, which is refused twice over", () => {
    expect(codes(PATH, "a\0b")).toEqual(["null_characters_not_allowed", "unsafe_document_path"]);
  });

  it("is blank when it is empty, as any text", () => {
    expect(codes(PATH, "")).toEqual(["blank"]);
  });
});

describe("under a known root", () => {
  const validate = compileValidator(object({ it: PATH }), { documentRoot: "/sftp/migrated/", keepValues: false });

  it.each(["sftp/migrated/a.pdf", "sftp/migrated"])("%s repeats it", (path) => {
    expect(validate({ it: path })).toMatchObject([{ code: "unsafe_document_path", reason: "repeats_root" }]);
  });
  it.each(["sftp/other/a.pdf", "sftp/migrated2/a.pdf", "a/sftp/migrated/b.pdf"])("%s does not", (path) => {
    expect(validate({ it: path })).toEqual([]);
  });
  it("the root counts towards the length of what is stored", () => {
    expect(validate({ it: "x".repeat(1024 - "sftp/migrated/".length) })).toEqual([]);
    expect(validate({ it: "x".repeat(1025 - "sftp/migrated/".length) })).toMatchObject([{ reason: "too_long" }]);
  });
  it.each(["", "/"])("a root of %j is no root", (documentRoot) => {
    expect(compileValidator(object({ it: PATH }), { documentRoot, keepValues: false })({ it: "a.pdf" })).toEqual([]);
  });
});
