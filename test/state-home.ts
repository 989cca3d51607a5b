import { afterAll } from "vitest";
import { createTestFolder } from "./temporary-folder.ts";

/** Gives each test file its own state folder, so that tests do not write into the user's folder or share databases. */
const { folder, remove } = createTestFolder();
process.env["XDG_STATE_HOME"] = folder;
afterAll(remove);
