import { posix, win32 } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { documentPathCheck } from "../../src/validate/document-paths.ts";
import { compileValidator } from "../../src/validate/compile-validator.ts";
import { codes, object, problemsOf, text } from "./field-types.ts";

const PATH = text({ documentPath: true });

/** Tokens that are significant in paths or addresses, in any order, with any characters between them. */
const HOSTILE = fc
  .array(
    fc.oneof(
      fc.constantFrom("..", ".", "/", "//", "\\", "%2e", "%2F", "%252e", "%u002e", "~", "C:", "s3://", "a", "b.pdf"),
      fc.constantFrom("sftp/root", "\u2025", "\uff0e", "\uff0f", "\uff3c", "é", "e\u0301", " ", "\n", "?", "#", "&"),
      fc.string({ unit: "binary", maxLength: 4 }),
    ),
    { minLength: 1, maxLength: 8 },
  )
  .map((parts) => parts.join(""))
  .filter((given) => given !== "");

/** Transformations that a path may undergo on the way to the store. */
const READINGS: readonly ((given: string) => string)[] = [
  (given) => given,
  (given) => given.normalize("NFKC"),
  (given) => given.replaceAll(/%([0-9a-f]{2})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16))),
];

describe("a document path", () => {
  it.each([
    "notes/2024/A-123.pdf",
    "letter.pdf",
    "Zähler/münchen ablesung.pdf",
    "電気/契約書.pdf",
    "a.b/c..d/e...pdf",
    "notes/10:30 call.txt",
    "notes/ letter.pdf",
    "50%_off.pdf",
    "backup~/a~b.txt",
    "emoji/👩‍🔧.png",
    "請求書／２０２４．１．pdf",
  ])("may be %s", (path) => {
    expect(codes(PATH, path)).toEqual([]);
  });

  it.each([
    ["../secret.pdf", "parent_segment"],
    ["a/../../b", "parent_segment"],
    ["a/..", "parent_segment"],
    ["a/./b", "parent_segment"],
    [".", "parent_segment"],
    ["a/..#b", "parent_segment"],
    ["..?b", "parent_segment"],
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
    ["a/%u002e%u002e/b", "encoded"],
    ["a/\uff0e\uff0e/b", "parent_segment"],
    ["a\uff0f..\uff0fb", "parent_segment"],
    ["\u2025/b", "parent_segment"],
    ["a\uff3c..\uff3cb", "parent_segment"],
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

  it("that is accepted never leads outside its root, for any transformation by the store", () => {
    const judge = documentPathCheck("sftp/root");
    fc.assert(
      fc.property(HOSTILE, (given) => {
        if (judge(given) !== undefined) return;
        for (const read of READINGS) {
          const stored = posix.join("/bucket/sftp/root", read(given));
          expect(stored.startsWith("/bucket/sftp/root/")).toBe(true);
          expect(win32.join("C:\\root", read(given)).startsWith("C:\\root\\")).toBe(true);
        }
        const address = new URL(given, "s3://bucket/sftp/root/");
        expect(address.href.startsWith("s3://bucket/sftp/root/")).toBe(true);
        expect(given).toBe(given.normalize("NFC"));
        expect(Buffer.byteLength(`sftp/root/${given}`)).toBeLessThanOrEqual(1024);
      }),
      { numRuns: 2000 },
    );
  });

  it("is accepted if it consists of plain names", () => {
    const name = fc.stringMatching(/^[A-Za-z0-9_-][A-Za-z0-9_ .,()-]{0,20}[A-Za-z0-9_-]$/);
    fc.assert(
      fc.property(fc.array(name, { minLength: 1, maxLength: 6 }), (names) => {
        expect(documentPathCheck("sftp/root")(names.join("/"))).toBeUndefined();
      }),
    );
  });

  it("may not contain a null character, which causes two problems", () => {
    expect(codes(PATH, "a\0b")).toEqual(["null_characters_not_allowed", "unsafe_document_path"]);
  });

  it("is blank if it is empty, like any string", () => {
    expect(codes(PATH, "")).toEqual(["blank"]);
  });
});

describe("a document path with a known root:", () => {
  const validate = compileValidator(object({ it: PATH }), { documentRoot: "/sftp/migrated/", keepValues: false });

  it.each(["sftp/migrated/a.pdf", "sftp/migrated"])("%s repeats the root", (path) => {
    expect(validate({ it: path })).toMatchObject([{ code: "unsafe_document_path", reason: "repeats_root" }]);
  });
  it.each(["sftp/other/a.pdf", "sftp/migrated2/a.pdf", "a/sftp/migrated/b.pdf"])(
    "%s does not repeat the root",
    (path) => {
      expect(validate({ it: path })).toEqual([]);
    },
  );
  it("the root counts towards the length of the stored key", () => {
    expect(validate({ it: "x".repeat(1024 - "sftp/migrated/".length) })).toEqual([]);
    expect(validate({ it: "x".repeat(1025 - "sftp/migrated/".length) })).toMatchObject([{ reason: "too_long" }]);
  });
  it.each(["", "/"])("the root %j is treated like a missing root", (documentRoot) => {
    expect(compileValidator(object({ it: PATH }), { documentRoot, keepValues: false })({ it: "a.pdf" })).toEqual([]);
  });
});
