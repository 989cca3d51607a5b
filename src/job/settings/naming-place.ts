import { Failure } from "../../model/failure.ts";
import type { Place } from "../../model/place.ts";

/** Where a file is named, by the path that is tried. */
export type NamingPlace = (file: string) => Place | undefined;

/** Runs it. A failure about a file that cannot be read says where that file is named. */
export async function withNamingPlace<T>(placeOf: NamingPlace, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof Failure) || error.file === undefined || error.place !== undefined) throw error;
    const { code, message, hint, file } = error;
    throw new Failure(code, message, { hint, file, place: placeOf(file), cause: error });
  }
}
