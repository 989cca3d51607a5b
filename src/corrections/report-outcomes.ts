import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import { isJsonObject, type JsonObject } from "../json/json-value.ts";
import { parseJson } from "../json/parse-json.ts";
import { readFailure } from "../read/text/file-bytes.ts";

/** @param name the name of the file in messages */
export async function* readOutcomes(file: string, name: string): AsyncGenerator<JsonObject> {
  const input = createReadStream(file);
  try {
    for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
      const outcome = parseJson(line);
      if (isJsonObject(outcome)) yield outcome;
    }
  } catch (error) {
    throw readFailure(name, error);
  } finally {
    input.destroy();
  }
}
