// 1,000 SIGKILLs over a push of 2,000 records at concurrency 16, resumed until done; half an hour. KILLS=100 shortens it.
import { runTest } from "./run-test.mjs";

runTest("test/e2e/kill-push.test.ts", { KILLS: "1000" });
