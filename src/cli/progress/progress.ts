import type { RunEvent } from "../../job/run-event.ts";
import type { Counts, RunProgress, RunState } from "../../job/run-progress.ts";
import { counted } from "../../text/count.ts";
import type { Clock } from "../../time/clock.ts";
import type { Logger } from "../process/logger.ts";
import { createProgressFile } from "../../runtime/progress/progress-file-writer.ts";
import { liveLine, plainLine, type ProgressScreen } from "./progress-line.ts";
import { logProgress, logRunEvent } from "./progress-log.ts";
import { progressLine } from "./progress-text.ts";
import { createRunTracker } from "../../runtime/progress/run-tracker.ts";
import { createWaitLog } from "./wait-log.ts";

/** Shows what a run does: one line that changes on a terminal, a line now and then elsewhere. */
export interface Progress {
  readonly onProgress: (event: RunEvent) => void;
  /** Time goes by: to be called about twice a second while a run may be at work. */
  readonly tick: () => void;
  /** Nothing is shown while this goes on: a question. */
  readonly paused: <T>(work: () => Promise<T>) => Promise<T>;
  /** Writes a line that stays, above the line that changes. */
  readonly notice: (text: string) => void;
  /** The user has asked for an end. */
  readonly stopping: () => void;
  /** What is known just now. */
  readonly current: () => CurrentProgress;
  readonly stop: () => void;
}

export interface CurrentProgress extends RunProgress {
  readonly state: RunState;
  /** The counts of the whole run, once it has ended. */
  readonly counts?: Counts | undefined;
}

export function createProgress(
  logger: Logger,
  screen: ProgressScreen,
  clock: Pick<Clock, "now" | "monotonic">,
): Progress {
  const tracker = createRunTracker(clock);
  const now = clock.monotonic;
  const line = screen.live ? liveLine(screen, now) : plainLine(now);
  const file = createProgressFile(now);
  const waits = createWaitLog(logger, now, () => tracker.progress().run?.id);
  let isShown = false;
  let counts: Counts | undefined;

  const show = (): void => {
    if (!isShown) return;
    line.show({
      text: (width) => progressLine(tracker.progress(), width),
      log: () => logProgress(tracker.progress(), logger),
    });
  };
  const onProgress = (event: RunEvent): void => {
    const { kind } = event;
    tracker.note(event);
    isShown = kind !== "ended";
    if (kind === "begun") file.begin(event.progressFile);
    if (kind === "ended") file.end();
    counts = kind === "ended" ? event.counts : undefined;
    if (kind === "pause") line.above(() => waits.pause(event));
    else if (kind === "supplier") line.above(() => waits.supplier(event));
    else if (!FREQUENT.has(kind)) line.above(() => logRunEvent(event, tracker.progress(), logger));
    show();
  };

  return {
    onProgress,
    tick() {
      if (!isShown) return;
      line.above(waits.tick);
      show();
      file.write(tracker.progress);
    },
    async paused(work) {
      line.stop();
      isShown = false;
      return work();
    },
    notice: (text) => line.above(() => logger.notice(text)),
    stopping() {
      if (isShown) line.above(() => logStopping(tracker.progress(), logger));
    },
    current: () => ({ ...tracker.progress(), state: tracker.state(), counts }),
    stop() {
      isShown = false;
      file.end();
      line.stop();
    },
  };
}

/** They change the line, and are not told one by one. */
const FREQUENT: ReadonlySet<RunEvent["kind"]> = new Set(["read", "checked", "outcome"]);

function logStopping({ sending }: RunProgress, logger: Logger): void {
  const { inFlight = 0 } = sending ?? {};
  const what = inFlight === 0 ? "Stopping" : `Stopping: waiting for ${counted(inFlight, "request")} in flight`;
  logger.event("stopping", { inFlight }, `${what}. Press Ctrl-C again to stop at once.`);
}
