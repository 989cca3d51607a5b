import { afterAll } from "vitest";
import { keptFolder } from "./temporary-folder.ts";

/** Gives each test file its own state folder, so that tests do not write into the user's folder or share databases. */
const { folder, remove } = keptFolder();
process.env["XDG_STATE_HOME"] = folder;
afterAll(remove);
