import type { RunEvent } from "../../job/run-event.ts";
import type { Counts, RunProgress, RunState } from "../../job/run-progress.ts";
import { counted } from "../../text/count.ts";
import type { WallClock, MonotonicClock } from "../../time/clock.ts";
import type { Logger } from "../process/logger.ts";
import { createProgressFile } from "../../runtime/progress/progress-file-writer.ts";
import { liveLine, plainLine, type ProgressScreen } from "./progress-line.ts";
import { logProgress, logRunEvent } from "./progress-log.ts";
import { progressLine } from "./progress-text.ts";
import { createRunTracker } from "../../runtime/progress/run-tracker.ts";
import { createWaitLog } from "./wait-log.ts";

/** Shows the progress of a run: a changing line on a terminal, otherwise a log line at intervals. */
export interface Progress {
  readonly onProgress: (event: RunEvent) => void;
  /** Updates the display. Called about twice a second while a run may be active. */
  readonly tick: () => void;
  /** Hides the progress during this work, such as a question. */
  readonly paused: <T>(work: () => Promise<T>) => Promise<T>;
  /** Writes a permanent line above the changing line. */
  readonly notice: (text: string) => void;
  /** Called when the user has asked to stop. */
  readonly stopping: () => void;
  /** The current progress. */
  readonly current: () => CurrentProgress;
  readonly stop: () => void;
}

export interface CurrentProgress extends RunProgress {
  readonly state: RunState;
  /** The counts of the whole run, after it has ended. */
  readonly counts?: Counts | undefined;
}

export function createProgress(logger: Logger, screen: ProgressScreen, clock: WallClock & MonotonicClock): Progress {
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

/** Events that update the line but are not logged individually. */
const FREQUENT: ReadonlySet<RunEvent["kind"]> = new Set(["read", "checked", "outcome"]);

function logStopping({ sending }: RunProgress, logger: Logger): void {
  const { inFlight = 0 } = sending ?? {};
  const what = inFlight === 0 ? "Stopping" : `Stopping: waiting for ${counted(inFlight, "request")} in flight`;
  logger.event("stopping", { inFlight }, `${what}. Press Ctrl-C again to stop immediately.`);
}
