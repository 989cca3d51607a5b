// A test runner for Stryker that imports the bundle of the tests once and runs it for each mutant in the same process.
// The Vitest runner of Stryker imports all modules again for each mutant, which takes seconds instead of milliseconds.
import { copyFileSync, rmSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { declareClassPlugin, PluginKind } from "@stryker-mutator/api/plugin";
import { DryRunStatus, MutantRunStatus, TestStatus } from "@stryker-mutator/api/test-runner";
import { collect } from "./harness.mjs";

const BUNDLE = ".mutation-tests";
// The instrumented source uses this global variable.
const stryker = (globalThis["__stryker__"] ??= {});

class SameProcessRunner {
  tests = [];
  durations = new Map();
  /** Whether the bundle was imported with an active mutant. */
  isMutated = false;
  loads = 0;

  capabilities() {
    return { reloadEnvironment: true };
  }

  init() {
    return this.load();
  }

  /** Imports a new copy of the bundle, so that its top-level code runs again. */
  async load() {
    this.loads += 1;
    const copy = path.resolve(`${BUNDLE}-${process.pid}-${this.loads}.mjs`);
    copyFileSync(`${BUNDLE}.mjs`, copy);
    try {
      this.tests = await collect(() => import(pathToFileURL(copy).href));
    } finally {
      rmSync(copy);
    }
  }

  async dryRun() {
    stryker.activeMutant = undefined;
    const results = [];
    for (const test of this.tests) {
      stryker.currentTestId = test.name;
      const failure = await this.failureOf(test);
      const timeSpentMs = this.durations.get(test.name) ?? 0;
      const common = { id: test.name, name: test.name, timeSpentMs };
      results.push(
        failure === undefined
          ? { ...common, status: TestStatus.Success }
          : { ...common, status: TestStatus.Failed, failureMessage: failure },
      );
    }
    stryker.currentTestId = undefined;
    return { status: DryRunStatus.Complete, tests: results, mutantCoverage: stryker.mutantCoverage };
  }

  async mutantRun({ activeMutant, hitLimit, mutantActivation, reloadEnvironment, testFilter }) {
    const activate = () => Object.assign(stryker, { activeMutant: activeMutant.id, hitCount: 0, hitLimit });
    const isStatic = reloadEnvironment || mutantActivation === "static";
    if (!isStatic) {
      if (this.isMutated) await this.loadPlain();
      activate();
      const result = await this.runTests(testFilter, hitLimit);
      // A value that was cached earlier can hide the mutant, and an earlier mutant can leave a wrong value behind.
      const isSure = result.status === MutantRunStatus.Survived ? stryker.hitCount > 0 : await this.passesAlone(result);
      if (isSure) return result;
    }
    activate();
    this.isMutated = true;
    try {
      await this.load();
      return await this.runTests(testFilter, hitLimit);
    } catch (error) {
      return { status: MutantRunStatus.Killed, killedBy: [], failureMessage: String(error), nrOfTests: 0 };
    }
  }

  async loadPlain() {
    stryker.activeMutant = undefined;
    stryker.hitLimit = undefined;
    await this.load();
    this.isMutated = false;
  }

  async runTests(wanted, hitLimit) {
    const names = wanted === undefined ? undefined : new Set(wanted);
    const chosen = this.tests
      .filter(({ name }) => names?.has(name) ?? true)
      .toSorted((one, other) => (this.durations.get(one.name) ?? 0) - (this.durations.get(other.name) ?? 0));
    let nrOfTests = 0;
    for (const test of chosen) {
      nrOfTests += 1;
      const failureMessage = await this.failureOf(test);
      if (hitLimit !== undefined && stryker.hitCount > hitLimit) {
        return { status: MutantRunStatus.Timeout, reason: `more than ${hitLimit} executions` };
      }
      if (failureMessage !== undefined) {
        return { status: MutantRunStatus.Killed, killedBy: [test.name], failureMessage, nrOfTests };
      }
    }
    return { status: MutantRunStatus.Survived, nrOfTests };
  }

  /** Returns whether the test that killed the mutant passes without the mutant; true if no test killed it. */
  async passesAlone({ killedBy }) {
    stryker.activeMutant = undefined;
    stryker.hitLimit = undefined;
    const test = this.tests.find(({ name }) => name === killedBy?.[0]);
    return test === undefined || (await this.failureOf(test)) === undefined;
  }

  async failureOf(test) {
    const startedAt = performance.now();
    try {
      await test.run();
      const ms = performance.now() - startedAt;
      this.durations.set(test.name, Math.min(ms, this.durations.get(test.name) ?? ms));
      return undefined;
    } catch (error) {
      return String(error?.message ?? error);
    }
  }
}

export const strykerPlugins = [declareClassPlugin(PluginKind.TestRunner, "same-process", SameProcessRunner)];
