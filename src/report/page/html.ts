import { printableJson } from "../../terminal/safe-json.ts";
import { plainText } from "../../text/plain-text.ts";

/** Text that is already HTML. Only `html` creates it, so that all other text is escaped. */
export interface Html {
  readonly markup: string;
}

type Part = string | number | Html | readonly Html[] | undefined;

/**
 * Creates a piece of HTML. Inserted text is made safe to display and escaped, unless it is a piece of HTML itself.
 * Attributes must be in double quotation marks. Undefined is omitted.
 */
export function html(pieces: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return { markup: pieces.map((piece, at) => piece + markupOf(parts[at])).join("") };
}

function markupOf(part: Part): string {
  if (part === undefined) return "";
  if (typeof part === "number") return String(part);
  if (typeof part === "string") return escaped(plainText(part, MAX_TEXT_LENGTH));
  return "markup" in part ? part.markup : part.map(({ markup }) => markup).join("");
}

const MAX_TEXT_LENGTH = 2000;

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? "");
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Creates a script element that holds data and is never run. No text in the data can close it. */
export function dataElement(id: string, data: object): Html {
  const json = printableJson(data).replaceAll("<", String.raw`\u003c`);
  return { markup: `<script type="application/json" id="${escaped(id)}">${json}</script>` };
}
