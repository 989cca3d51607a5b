import type { Ora } from "ora";
import type { Notifier } from "../../job/dependencies.ts";
import type { RunEvent } from "../../job/run-event.ts";
import type { RunProgress } from "../../job/run-progress.ts";
import { createProgressFile } from "../../runtime/progress/progress-file-writer.ts";
import { createRunTracker, type TrackedEnd } from "../../runtime/progress/run-tracker.ts";
import { counted } from "../../text/count.ts";
import type { MonotonicClock, WallClock } from "../../time/clock.ts";
import type { Logger } from "../process/logger.ts";
import { createWaitLog, logProgress, logRunEvent } from "./progress-log.ts";
import { progressLine } from "./progress-text.ts";

/** Shows the progress of a run. On a terminal, updates one line in place. Elsewhere, logs a line at intervals. */
export interface Progress {
  readonly onProgress: (event: RunEvent) => void;
  /** Updates the display. Called about twice a second while a run may be active. */
  readonly tick: () => void;
  /** Hides the progress during work such as a question to the user. */
  readonly paused: <T>(work: () => Promise<T>) => Promise<T>;
  /** Writes a permanent line above the progress line. */
  readonly notice: Notifier["notice"];
  readonly stopping: () => void;
  readonly current: () => CurrentProgress;
  readonly stop: () => void;
}

export interface CurrentProgress extends RunProgress, TrackedEnd {}

export function createProgress(logger: Logger, screen: ProgressScreen, clock: WallClock & MonotonicClock): Progress {
  const tracker = createRunTracker(clock);
  const now = clock.monotonic;
  const line = screen.live ? liveLine(screen, now) : plainLine(now);
  const file = createProgressFile(now);
  const waits = createWaitLog(logger, now, () => tracker.progress().run?.id);
  let isShown = false;

  const shown = {
    text: (width: number) => progressLine(tracker.progress(), width),
    log: () => logProgress(tracker.progress(), logger),
  };
  const show = (): void => {
    if (isShown) line.show(shown);
  };
  const onProgress = (event: RunEvent): void => {
    const { kind } = event;
    tracker.note(event);
    isShown = kind !== "ended";
    if (kind === "begun") file.begin(event.progressFile);
    if (kind === "ended") file.end();
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
    notice: (text, urgency) => line.above(() => logger.notice(text, urgency)),
    stopping() {
      if (!isShown) return;
      const { inFlight = 0 } = tracker.progress().sending ?? {};
      const what = inFlight === 0 ? "Stopping" : `Stopping: waiting for ${counted(inFlight, "request")} in flight`;
      const text = `${what}. Press Ctrl-C again to stop immediately.`;
      line.above(() => logger.event("stopping", { inFlight }, text));
    },
    current: () => ({ ...tracker.progress(), ...tracker.end() }),
    stop() {
      tracker.stop();
      isShown = false;
      file.end();
      line.stop();
    },
  };
}

/** Events that update the progress line but are not logged individually. */
const FREQUENT: ReadonlySet<RunEvent["kind"]> = new Set(["read", "checked", "outcome"]);

interface ProgressScreen {
  /** Whether the line may be updated in place (`isLive`). */
  readonly live: boolean;
  readonly stream: NodeJS.WritableStream;
  readonly colour: boolean;
  /** Returns the current width of the terminal, in columns. */
  readonly width: () => number;
}

interface ProgressLine {
  /** `text` returns the progress, shortened to `width` columns if possible. `log` logs the progress. */
  readonly show: (shown: { readonly text: (width: number) => string; readonly log: () => void }) => void;
  /** Calls `log`, which writes a permanent line above the progress. */
  readonly above: (log: () => void) => void;
  readonly stop: () => void;
}

const LIVE_EVERY_MS = 100;
/** Delay before the line is first shown. No line is shown for shorter work. */
const FIRST_AFTER_MS = 300;
/** Width of the spinner, the space before the text, and the unused last column. */
const SPINNER_WIDTH = 3;

/**
 * Creates a line that is updated in place. The library ora draws the line, and is loaded only for long work. The text
 * is computed at most ten times a second.
 */
function liveLine({ stream, colour, width }: ProgressScreen, now: () => number): ProgressLine {
  let spinner: Ora | undefined;
  let loading: Promise<void> | undefined;
  let nextAt = now() + FIRST_AFTER_MS;
  const load = async (): Promise<void> => {
    const { default: ora } = await import("ora");
    spinner = ora({ stream, discardStdin: false, color: colour && "cyan" });
  };
  return {
    show({ text }) {
      if (now() < nextAt) return;
      nextAt = now() + LIVE_EVERY_MS;
      loading ??= load();
      if (spinner === undefined) return;
      spinner.text = text(width() - SPINNER_WIDTH);
      if (!spinner.isSpinning) spinner.start();
    },
    above(log) {
      const spinning = spinner?.isSpinning === true;
      if (spinning) spinner?.stop();
      log();
      if (spinning) spinner?.start();
    },
    stop: () => {
      spinner?.stop();
    },
  };
}

/**
 * Returns the time between two log lines in milliseconds. Lines become less frequent, so that a long run does not fill
 * the disk.
 */
function interval(elapsedMs: number): number {
  if (elapsedMs < 60_000) return 5_000;
  return elapsedMs < 600_000 ? 30_000 : 60_000;
}

function plainLine(now: () => number): ProgressLine {
  const startedAt = now();
  let lastAt = startedAt;
  return {
    show({ log }) {
      if (now() - lastAt < interval(now() - startedAt)) return;
      lastAt = now();
      log();
    },
    above: (log) => log(),
    stop: () => undefined,
  };
}
