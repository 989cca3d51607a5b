import { Failure } from "../../model/failure.ts";
import type { Place } from "../../model/place.ts";

/** Returns the place where a file is named, given the file's resolved path. */
export type NamingPlace = (file: string) => Place | undefined;

/** Calls the function. If a file cannot be read, the failure states where that file is named. */
export async function withNamingPlace<T>(placeOf: NamingPlace | undefined, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (placeOf === undefined || !(error instanceof Failure)) throw error;
    const { code, message, hint, file, place } = error;
    if (file === undefined || place !== undefined) throw error;
    throw new Failure(code, message, { hint, file, place: placeOf(file), cause: error });
  }
}
