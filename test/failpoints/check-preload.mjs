// Interrupts validation. FAIL_AT=<main|worker>:<nth>:<throw|SIGINT> throws or sends the signal when the
// program packs columns of a batch for the nth time in this kind of thread. After a signal, validation waits one second
// for the chunks in progress. A busy machine may need longer, so waits of one second last a minute.
import { isMainThread } from "node:worker_threads";

const [where, nth, action] = (process.env.FAIL_AT ?? "").split(":");
const columns = Float64Array.prototype;
const subarray = Reflect.get(columns, "subarray");
let calls = 0;

Object.defineProperty(columns, "subarray", {
  value(...range) {
    if (isMainThread === (where === "main")) {
      calls += 1;
      if (calls === Number(nth) && action === "throw") throw new TypeError("nobody foresaw this");
      if (calls === Number(nth)) process.kill(process.pid, action);
    }
    return subarray.apply(this, range);
  },
});

globalThis.setTimeout = new Proxy(globalThis.setTimeout, {
  apply: (set, self, [call, ms, ...values]) => Reflect.apply(set, self, [call, ms === 1000 ? 60_000 : ms, ...values]),
});
