import type { JsonObject } from "./json.ts";
import type { InputRecord } from "./row.ts";

/** An input record with the payload that its rows map to. */
export interface MappedRecord extends InputRecord {
  /** The business key, as it will be sent; absent when the payload has none. */
  readonly key: string | undefined;
  /** Empty for an orphan. */
  readonly payload: JsonObject;
  /** What the mapping gives to the bodies of steps, by the step's name. */
  readonly steps?: ReadonlyMap<string, JsonObject> | undefined;
  /** False when reading found errors: cells may stand in the wrong columns, so the payload is not to be judged. */
  readonly readable: boolean;
}
