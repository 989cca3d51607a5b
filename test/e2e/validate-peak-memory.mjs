// Loaded before the program: says at its end how much memory it has held at most, in kilobytes.
import { writeFileSync } from "node:fs";
import process from "node:process";

process.once("exit", () => writeFileSync(process.env.PEAK_MEMORY_FILE, String(process.resourceUsage().maxRSS)));
