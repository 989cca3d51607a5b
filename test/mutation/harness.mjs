// Replaces the part of Vitest that the tests of the pure core use. Tests are registered once and run for each mutant,
// without importing them again.
import {
  chai,
  ASYMMETRIC_MATCHERS_OBJECT,
  customMatchers,
  GLOBAL_EXPECT,
  JestAsymmetricMatchers,
  JestChaiExpect,
  JestExtend,
  setState,
} from "@vitest/expect";
import { inspect } from "node:util";

chai.use(JestExtend);
chai.use(JestChaiExpect);
chai.use(JestAsymmetricMatchers);

export const expect = (value, message) => chai.expect(value, message);
Object.assign(expect, chai.expect);
Object.assign(expect, globalThis[ASYMMETRIC_MATCHERS_OBJECT]);
globalThis[GLOBAL_EXPECT] = expect;
setState({ assertionCalls: 0, isExpectingAssertions: false }, expect);
chai.expect.extend(expect, customMatchers);

let tests = [];
let group = newGroup(undefined, "");
let finishers = [];
const leftOut = JSON.parse(process.env.MUTATION_LEFT_OUT ?? "[]");
/** The titles in `leftOut` for which no test has been registered yet. */
let unknownTitles = new Set();

/**
 * Returns the tests that `load` registers: the full name and the file of each test, and a function that runs the test
 * with its hooks. Throws if a title in `leftOut` matches no test, because the test may have been renamed.
 */
export async function collect(load) {
  tests = [];
  group = newGroup(undefined, "");
  unknownTitles = new Set(leftOut);
  await load();
  const [unknown] = unknownTitles;
  if (unknown !== undefined)
    throw new Error(`no test has the title "${unknown}": correct \`leftOut\` in test/mutation/run.mjs`);
  return tests;
}

/**
 * Registers the following tests under this file name. The bundle's plugin inserts a call at the start of each test
 * file.
 */
export function startFile(name) {
  group = newGroup(undefined, name);
}

function newGroup(parent, name) {
  return { parent, name, before: [], after: [], beforeEach: [], afterEach: [], isReady: false };
}

function register(title, body) {
  unknownTitles.delete(title);
  if (leftOut.includes(title)) return;
  const own = group;
  const groups = [];
  for (let one = own; one !== undefined; one = one.parent) groups.unshift(one);
  const full = [...groups.map(({ name }) => name), title].join(" > ");
  const same = tests.filter(({ name }) => name === full || name.startsWith(`${full} #`)).length;
  tests.push({
    name: same === 0 ? full : `${full} #${same + 1}`,
    file: groups[0].name,
    run: () => runTest(groups, body),
  });
}

async function runTest(groups, body) {
  finishers = [];
  try {
    for (const one of groups) for (const hook of one.before) await hook();
    for (const one of groups) for (const hook of one.beforeEach) await hook();
    await body();
  } finally {
    for (const hook of finishers.toReversed()) await hook();
    for (const one of groups.toReversed()) for (const hook of one.afterEach) await hook();
    for (const one of groups.toReversed()) for (const hook of one.after) await hook();
  }
}

function withForms(plain, skipped) {
  const form = (title, ...rest) => plain(title, rest.find((one) => typeof one === "function") ?? (() => {}));
  form.each = (rows) => (title, body) => {
    const isTable = rows.every((row) => Array.isArray(row));
    for (const [index, row] of rows.entries()) {
      const values = isTable ? row : [row];
      plain(`${title} [${index} ${inspect(values, { depth: 1, breakLength: Infinity }).slice(0, 60)}]`, () =>
        body(...values),
      );
    }
  };
  form.skip = skipped;
  form.skip.each = () => skipped;
  form.skipIf = (isSkipped) => (isSkipped ? form.skip : form);
  form.runIf = (isRun) => (isRun ? form : form.skip);
  return form;
}

export const test = withForms(register, () => {});
export const it = withForms(register, () => {});
export const describe = withForms(
  (title, body) => {
    const above = group;
    group = newGroup(above, title);
    body();
    group = above;
  },
  () => {},
);
export const beforeAll = (hook) => void group.before.push(hook);
export const afterAll = (hook) => void group.after.push(hook);
export const beforeEach = (hook) => void group.beforeEach.push(hook);
export const afterEach = (hook) => void group.afterEach.push(hook);
export const onTestFinished = (hook) => void finishers.push(hook);
