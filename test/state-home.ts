import { afterAll } from "vitest";
import { keptFolder } from "./temporary-folder.ts";

/** No test writes into the real state folder of the user. Each file has its own: databases have the same names in several. */
const { folder, remove } = keptFolder();
process.env["XDG_STATE_HOME"] = folder;
afterAll(remove);
