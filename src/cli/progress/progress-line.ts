import type { Ora } from "ora";

export interface ProgressScreen {
  /** Whether the line may change: on a terminal, unless a flag forbids it. */
  readonly live: boolean;
  readonly stream: NodeJS.WritableStream;
  readonly colour: boolean;
  /** Current number of columns of the terminal. */
  readonly width: () => number;
}

/** The place where progress is shown. */
export interface ProgressLine {
  readonly show: (shown: ShownProgress) => void;
  /** Calls `log`, which writes a permanent line above the progress. */
  readonly above: (log: () => void) => void;
  readonly stop: () => void;
}

interface ShownProgress {
  /** The text in at most `width` columns. */
  readonly text: (width: number) => string;
  /** Writes the progress to the log. */
  readonly log: () => void;
}

const LIVE_EVERY_MS = 100;
/** Work that finishes within this time shows no line. */
const FIRST_AFTER_MS = 300;
/** The spinner, a space before the text, and the unused last column. */
const SPINNER_WIDTH = 3;

/**
 * A changing line, drawn by ora, which is loaded only for long work. The text is computed at most ten times a second.
 */
export function liveLine({ stream, colour, width }: ProgressScreen, now: () => number): ProgressLine {
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

/** Milliseconds between two lines. Frequent at first, then less frequent, so that a long run does not fill the disk. */
function interval(elapsedMs: number): number {
  if (elapsedMs < 60_000) return 5_000;
  return elapsedMs < 600_000 ? 30_000 : 60_000;
}

export function plainLine(now: () => number): ProgressLine {
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
