// Loaded before the program: prints its peak memory in kilobytes at the end.
import { writeFileSync } from "node:fs";
import process from "node:process";

process.once("exit", () => writeFileSync(process.env.PEAK_MEMORY_FILE, String(process.resourceUsage().maxRSS)));
