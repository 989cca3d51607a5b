import { SaxesParser } from "saxes";
import { Failure } from "../../model/failure.ts";
import { corruptPackage, type ZipPackage, type ZipSource } from "./zip-package.ts";

/** Handlers for the elements of a part, by name without a prefix. */
export interface XmlHandlers {
  readonly open: (name: string, attributes: XmlAttributes) => void;
  readonly close?: (name: string) => void;
  readonly text?: (text: string) => void;
}

/** Attributes by name, including the prefix. */
export type XmlAttributes = Readonly<Record<string, string | undefined>>;

export interface WorkbookPart {
  readonly source: ZipSource;
  readonly zip: ZipPackage;
  readonly part: string;
}

/**
 * Reads a part of a workbook and yields after each chunk, so that the caller can process the result and memory use
 * stays constant. Rejects a document type declaration, so that no entity that the file defines is ever resolved.
 * @throws Failure `source_damaged` for XML that is not well-formed, `source_too_large` for a string beyond the limit
 */
export async function* readXml({ source, zip, part }: WorkbookPart, handlers: XmlHandlers): AsyncGenerator<void> {
  const corrupt = (error: unknown): Failure => corruptPackage(source.file, `${part} is not well-formed XML`, error);
  const parser = new SaxesParser<{ position: false; xmlns: false }>({ position: false, xmlns: false });
  let handled = 0;
  let fed = 0;
  const mark = (): void => {
    handled = fed;
  };
  parser.on("error", (error) => {
    throw corrupt(error);
  });
  parser.on("doctype", () => {
    throw corruptPackage(source.file, `${part} has a document type declaration, which no spreadsheet program writes`);
  });
  parser.on("opentag", ({ name, attributes }) => {
    mark();
    handlers.open(localName(name), attributes);
  });
  parser.on("closetag", ({ name }) => {
    mark();
    handlers.close?.(localName(name));
  });
  for (const event of ["text", "cdata"] as const) {
    parser.on(event, (text) => {
      mark();
      handlers.text?.(text);
    });
  }
  for await (const text of decoded(zip.bytes(part), corrupt)) {
    fed += Buffer.byteLength(text);
    parser.write(text);
    if (fed - handled > source.limits.csvRecordBytes) throw endlessText(source, part);
    yield;
  }
  parser.close();
}

export async function readWholeXml(part: WorkbookPart, handlers: XmlHandlers): Promise<void> {
  for await (const _ of readXml(part, handlers));
}

function localName(name: string): string {
  const colon = name.indexOf(":");
  return colon < 0 ? name : name.slice(colon + 1);
}

/** Decodes a part, which is UTF-8, or UTF-16 with a byte order mark. */
async function* decoded(chunks: AsyncGenerator<Buffer>, corrupt: (error: unknown) => Failure): AsyncGenerator<string> {
  let decoder: InstanceType<typeof TextDecoder> | undefined;
  for await (const chunk of chunks) {
    decoder ??= new TextDecoder(encodingOf(chunk), { fatal: true });
    try {
      yield decoder.decode(chunk, { stream: true });
    } catch (error) {
      throw corrupt(error);
    }
  }
}

function encodingOf([first, second]: Buffer): string {
  if (first === 0xff && second === 0xfe) return "utf-16le";
  return first === 0xfe && second === 0xff ? "utf-16be" : "utf-8";
}

function endlessText(source: ZipSource, part: string): Failure {
  const limit = source.limits.csvRecordBytes;
  return new Failure("source_too_large", `${source.file}: a string in ${part} is longer than ${limit} bytes`, {
    hint: "check that a spreadsheet program can open this workbook; a cell can contain at most 32,767 characters",
  });
}
