// A push is killed, or its disk fails, at every single moment that there is; ten minutes. FAULT_STEP=3 tries every third.
import { runTest } from "./run-test.mjs";

runTest("test/e2e/fault-walk.test.ts", { FAULT_STEP: "1" });
