import { execFileSync } from "node:child_process";
import {
  chmodSync,
  closeSync,
  constants,
  existsSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
} from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { openDraft, replaceFile, replaceFileSync } from "../../src/files/replace-file.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const modeOf = (file: string): number => statSync(file).mode & 0o777;

test("a replaced file has the new content and is private, even if the old file was not", async () => {
  const folder = temporaryFolder({ "list.csv": "old" });
  const file = path.join(folder, "list.csv");
  chmodSync(file, 0o644);
  await replaceFile(file, "new");
  expect(readFileSync(file, "utf8")).toBe("new");
  expect(modeOf(file)).toBe(0o600);
  expect(readdirSync(folder)).toEqual(["list.csv"]);
});

test("a link is replaced, and its target is unchanged", async () => {
  const folder = temporaryFolder({ target: "precious" });
  for (const name of ["asynchronous", "synchronous"]) symlinkSync(path.join(folder, "target"), path.join(folder, name));
  await replaceFile(path.join(folder, "asynchronous"), "new");
  replaceFileSync(path.join(folder, "synchronous"), Buffer.from("new"));
  expect(readFileSync(path.join(folder, "target"), "utf8")).toBe("precious");
  expect(statSync(path.join(folder, "asynchronous")).size).toBe(3);
  expect(statSync(path.join(folder, "synchronous")).size).toBe(3);
});

test("a failed replacement leaves no temporary file", async () => {
  const folder = temporaryFolder();
  mkdirSync(path.join(folder, "taken", "inside"), { recursive: true });
  await expect(replaceFile(path.join(folder, "taken"), "new")).rejects.toThrow("EISDIR");
  expect(readdirSync(folder)).toEqual(["taken"]);
});

test("a link to a device is kept, and the data is written to the device", async () => {
  const folder = temporaryFolder();
  const file = path.join(folder, "metrics");
  symlinkSync("/dev/null", file);
  await replaceFile(file, "new");
  expect(lstatSync(file).isSymbolicLink()).toBe(true);
  expect(statSync(file).isCharacterDevice()).toBe(true);
  expect(readdirSync(folder)).toEqual(["metrics"]);
});

test.skipIf(process.platform === "win32")("a pipe gets the data if a program reads it", async () => {
  const file = path.join(temporaryFolder(), "pipe");
  execFileSync("mkfifo", [file]);
  await expect(replaceFile(file, "unread")).rejects.toThrow("ENXIO");
  const reader = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  await replaceFile(file, "new");
  expect(readFileSync(reader, "utf8")).toBe("new");
  closeSync(reader);
  expect(statSync(file).isFIFO()).toBe(true);
});

test("two simultaneous replacements of one file both succeed, and leave one complete version", async () => {
  const folder = temporaryFolder();
  const file = path.join(folder, "entry");
  const contents = ["a", "b"].map((letter) => letter.repeat(100_000));
  await Promise.all(contents.map((content) => replaceFile(file, content, { durable: false })));
  expect(contents).toContain(readFileSync(file, "utf8"));
  expect(readdirSync(folder)).toEqual(["entry"]);
});

test("a synchronous replacement overwrites a temporary file of a dead process", () => {
  const folder = temporaryFolder({ "state.tmp": "half" });
  const file = path.join(folder, "state");
  replaceFileSync(file, Buffer.from("whole"));
  expect(readFileSync(file, "utf8")).toBe("whole");
  expect(modeOf(file)).toBe(0o600);
  expect(existsSync(`${file}.tmp`)).toBe(false);
});

test("new content is not written through a link that has the name of the temporary file", async () => {
  const folder = temporaryFolder({ target: "precious" });
  symlinkSync(path.join(folder, "target"), path.join(folder, ".report.1.tmp"));
  const draft = await openDraft(path.join(folder, "report"), "1", 0o600);
  await draft.append("new");
  await draft.close(true);
  await draft.rename();
  expect(readFileSync(path.join(folder, "target"), "utf8")).toBe("precious");
  expect(readFileSync(path.join(folder, "report"), "utf8")).toBe("new");
});
