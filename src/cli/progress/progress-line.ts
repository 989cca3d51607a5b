import type { Ora } from "ora";

export interface ProgressScreen {
  /** Whether the line may change: a terminal, and no flag against it. */
  readonly live: boolean;
  readonly stream: NodeJS.WritableStream;
  readonly colour: boolean;
  /** Columns of the terminal, just now. */
  readonly width: () => number;
}

/** Where progress is shown. */
export interface ProgressLine {
  readonly show: (shown: ShownProgress) => void;
  /** Does what writes a line that stays. */
  readonly above: (log: () => void) => void;
  readonly stop: () => void;
}

interface ShownProgress {
  /** In at most so many columns. */
  readonly text: (width: number) => string;
  /** Writes it into the log. */
  readonly log: () => void;
}

const LIVE_EVERY_MS = 100;
/** What is done sooner than this needs no line. */
const FIRST_AFTER_MS = 300;
/** The spinner and a space before the text, and no character in the last column. */
const SPINNER_WIDTH = 3;

/** ora draws the line, and is loaded for what takes long; the text is computed at most ten times a second. */
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

/** Milliseconds between two lines: often at first, when somebody looks; a night is not to fill a disk. */
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
