// Kills a push, or makes its disk fail, at every step. Takes ten minutes. FAULT_STEP=3 tries every third step.
import { runTests } from "./run-test.mjs";

runTests(["test/e2e/fault-walk.test.ts"], { FAULT_STEP: "1" });
