import { useRef, useState } from "preact/hooks";

interface Queue {
  /** Runs an action after all earlier actions have ended. */
  readonly run: <Result>(action: () => Promise<Result>) => Promise<Result>;
  readonly isBusy: boolean;
}

/** Runs actions one at a time, in the order of the calls. */
export function useQueue(): Queue {
  const [waiting, setWaiting] = useState(0);
  const last = useRef<Promise<unknown>>(Promise.resolve());
  const run: Queue["run"] = (action) => {
    setWaiting((count) => count + 1);
    const done = last.current.then(action).finally(() => setWaiting((count) => count - 1));
    last.current = done.catch(() => undefined);
    return done;
  };
  return { run, isBusy: waiting > 0 };
}
