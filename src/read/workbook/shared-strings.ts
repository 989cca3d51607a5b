import { createByteList } from "../../text/byte-list.ts";
import { Failure } from "../../model/failure.ts";
import { readWholeXml, type WorkbookPart } from "./xml-reader.ts";

/** The shared strings of a workbook, to which its cells refer by number. */
export interface SharedStrings {
  /** Returns undefined if there is no string with this number. */
  readonly at: (index: number) => string | undefined;
}

export const NO_STRINGS: SharedStrings = { at: () => undefined };

/**
 * Reads the strings into one block of memory outside the heap, so that a million strings need little more memory than
 * their bytes.
 * @throws Failure `source_too_large` if the strings exceed the limits
 */
export async function readSharedStrings(part: WorkbookPart): Promise<SharedStrings> {
  const texts = newTextBlock(part);
  const collector = newTextCollector();
  const handlers = {
    open: (name: string) => {
      if (name === "si") collector.take();
      collector.open(name);
    },
    close: (name: string) => {
      collector.close(name);
      if (name === "si") texts.add(collector.take());
    },
    text: collector.text,
  };
  await readWholeXml(part, handlers);
  return texts.finish();
}

/**
 * Concatenates the text elements (`t`) of a string, also of formatted runs (`r`), but not of phonetic hints (`rPh`).
 */
interface TextCollector {
  readonly open: (name: string) => void;
  readonly close: (name: string) => void;
  readonly text: (text: string) => void;
  /** Returns and resets the collected text, with escaped characters decoded. */
  readonly take: () => string;
}

export function newTextCollector(): TextCollector {
  let whole = "";
  let isText = false;
  let phonetic = 0;
  return {
    open: (name) => {
      if (name === "rPh") phonetic += 1;
      isText = name === "t" && phonetic === 0;
    },
    close: (name) => {
      if (name === "rPh") phonetic -= 1;
      if (name === "t") isText = false;
    },
    text: (text) => {
      if (isText) whole += text;
    },
    take: () => {
      const taken = unescaped(whole);
      whole = "";
      return taken;
    },
  };
}

/** Decodes escapes such as `_x000D_`, which represent characters that XML cannot contain. */
export function unescaped(text: string): string {
  if (!text.includes("_x")) return text;
  return text.replace(/_x([0-9A-Fa-f]{4})_/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}

function newTextBlock({ source }: WorkbookPart) {
  const limit = source.limits.workbookTextBytes;
  const block = createByteList(64 * 1024);
  let ends = new Uint32Array(4096);
  let count = 0;
  return {
    add: (text: string): void => {
      if (block.length() + Buffer.byteLength(text) + ends.byteLength > limit) throw tooLargeText(source.file, limit);
      block.addText(text);
      if (count === ends.length) {
        const more = new Uint32Array(ends.length * 2);
        more.set(ends);
        ends = more;
      }
      ends[count] = block.length();
      count += 1;
    },
    finish: (): SharedStrings => {
      const { buffer, byteOffset, length } = block.bytes();
      const texts = Buffer.from(buffer, byteOffset, length);
      return {
        at: (index) =>
          index < count ? texts.toString("utf8", index === 0 ? 0 : ends[index - 1], ends[index]) : undefined,
      };
    },
  };
}

function tooLargeText(file: string, limit: number): Failure {
  return new Failure("source_too_large", `${file}: the text of its cells takes more than ${limit} bytes`, {
    hint: "save the sheet as CSV UTF-8: this limit does not apply to CSV files",
  });
}
