// A push is killed, or its disk fails, at every single moment that there is; ten minutes. FAULT_STEP=3 tries every third.
import { runTests } from "./run-test.mjs";

runTests(["test/e2e/fault-walk.test.ts"], { FAULT_STEP: "1" });
