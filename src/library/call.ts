import { untilAborted } from "../time/clock.ts";
import { Failure } from "../model/failure.ts";
import type { Dependencies } from "../job/dependencies.ts";
import type { RunEvent } from "../job/run-event.ts";
import type { RunProgress } from "../job/run-progress.ts";
import type { CallOptions, Credentials, StopSignal } from "./run-options.ts";
import { defaultDependencies } from "../runtime/default-dependencies.ts";
import { createProgressFile } from "../runtime/progress/progress-file-writer.ts";
import { createRunTracker } from "../runtime/progress/run-tracker.ts";
import { chooseSecrets } from "../runtime/read-credentials.ts";
import { limitFailure } from "../runtime/system-limits.ts";
import { reserveTemporaryFolder } from "../runtime/temporary-folder.ts";

export interface Call {
  readonly dependencies: Dependencies;
  /** Removes every listener and timer, and the temporary files. */
  readonly end: () => void;
  /**
   * Waits for callbacks that are still running, unless `stopNow` ends the wait.
   * @throws the error of a callback or of its promise
   */
  readonly check: () => Promise<void>;
}

export function openCall(options: CallOptions, credentials: Credentials = {}): Call {
  const drain = followed(options.signal);
  const abort = followed(options.stopNow);
  // Prevents new requests, as a second Ctrl-C does.
  if (abort.signal.aborted) drain.stop();
  else abort.signal.addEventListener("abort", drain.stop, { once: true });
  const temporaryFolder = reserveTemporaryFolder();
  let wrong: { readonly error: unknown } | undefined;
  const fail = (error: unknown): void => {
    wrong ??= { error };
    drain.stop();
  };
  const unfinished = new Set<Promise<void>>();
  const callBack = (notify: () => unknown): void => {
    try {
      const answer = Promise.resolve(notify()).then(() => undefined, fail);
      unfinished.add(answer);
      void answer.then(() => unfinished.delete(answer));
    } catch (error) {
      fail(error);
    }
  };
  const base = defaultDependencies();
  const progress = createProgress(base.clock, (current) => callBack(() => options.onProgress?.(current)));
  return {
    dependencies: {
      ...base,
      notice: (text) => callBack(() => options.onNotice?.(text)),
      onProgress: progress.onEvent,
      drain: drain.signal,
      abort: abort.signal,
      secrets: (files) => chooseSecrets(credentials, files),
      storeCredentials: async () => undefined,
      proxyCredentials: credentials.proxy,
      canAsk: false,
      ask: async () => undefined,
      copyStandardInput: refuseStandardInput,
      screen: { colour: false, width: 80 },
      temporaryFolder: temporaryFolder.path,
    },
    end() {
      progress.end();
      drain.end();
      abort.end();
      temporaryFolder.remove();
    },
    async check() {
      if (unfinished.size > 0) await Promise.race([Promise.all(unfinished), untilAborted(abort.signal)]);
      if (wrong !== undefined) throw wrong.error;
    },
  };
}

async function refuseStandardInput(): Promise<never> {
  throw new Failure("usage", "the library does not read records from standard input", {
    hint: "write them to a file, and pass its path in `sources`",
  });
}

/** Converts an error into a Failure if a limit of this machine caused it. Returns any other error unchanged. */
export function knownError(error: unknown): unknown {
  return limitFailure(error) ?? error;
}

/** Returns a signal that aborts with the caller's signal. `end` removes the listener from the caller's signal. */
function followed(signal: StopSignal | undefined) {
  const own = new AbortController();
  const stop = (): void => own.abort();
  if (signal?.aborted === true) stop();
  else signal?.addEventListener("abort", stop);
  return { signal: own.signal, stop, end: () => signal?.removeEventListener("abort", stop) };
}

const TICK_MS = 500;

/**
 * Collects the progress of the run for `notify` and for `migrate status`. A timer is active from the start of the run
 * to its end.
 */
function createProgress(clock: Dependencies["clock"], notify: (progress: RunProgress) => void) {
  const tracker = createRunTracker(clock);
  const file = createProgressFile(clock.monotonic);
  let timer: NodeJS.Timeout | undefined;
  const show = (): void => notify(tracker.progress());
  const tick = (): void => {
    file.write(tracker.progress);
    show();
  };
  const end = (): void => {
    clearInterval(timer);
    timer = undefined;
    file.end();
  };
  const onEvent = (event: RunEvent): void => {
    tracker.note(event);
    timer ??= setInterval(tick, TICK_MS).unref();
    if (event.kind === "begun") file.begin(event.progressFile);
    if (event.kind === "ended") end();
    if (SHOWN_AT_ONCE.has(event.kind)) show();
  };
  return { onEvent, end };
}

const SHOWN_AT_ONCE: ReadonlySet<RunEvent["kind"]> = new Set(["begun", "planned", "ended"]);
