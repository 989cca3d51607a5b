import ora from "ora";
import type { Status } from "../../model/outcome.ts";
import type { CheckProgress } from "../../job/dependencies.ts";
import { formatCount } from "../../text/count.ts";
import type { UploadEvent } from "../../upload/upload-types.ts";
import type { Logger } from "./logger.ts";

/** The progress of a run: one line that changes on a terminal, a new line every few seconds elsewhere. */
export interface Progress {
  readonly onCheck: (progress: CheckProgress) => void;
  readonly onUpload: (event: UploadEvent) => void;
  /** Writes a line that stays, above the line that changes. */
  readonly notice: (text: string) => void;
  readonly stop: () => void;
}

const PLAIN_EVERY_MS = 5000;
const LIVE_EVERY_MS = 100;

export interface ProgressScreen {
  /** Whether the line may change: a terminal, and no flag against it. */
  readonly live: boolean;
  readonly colour: boolean;
}

/** @param now monotonic milliseconds */
export function createProgress(logger: Logger, screen: ProgressScreen, now: () => number): Progress {
  const line = screen.live ? liveLine(screen.colour, now) : plainLine(logger, now);
  const sending = createSendTotals(now);
  return {
    onCheck: ({ records, invalid }) => {
      sending.expect(records - invalid);
      line.show(() => `Checked ${formatCount(records)} records, ${formatCount(invalid)} invalid`);
    },
    onUpload: (event) => {
      if (event.kind === "outcome") {
        sending.add(event);
        line.show(sending.text);
      } else if (event.kind === "pace") {
        line.logAbove(() => logger.detail(`${limitsText(event)}: ${event.reason}`));
      } else if (event.kind === "supplier") {
        line.logAbove(() => logger.notice(supplierText(event)));
        sending.note(event);
        line.show(sending.text);
      } else {
        line.logAbove(() => logger.notice(`Waiting ${Math.ceil(event.forMs / 1000)} s: ${event.reason}`));
      }
    },
    notice: (text) => line.logAbove(() => logger.notice(text)),
    stop: line.stop,
  };
}

function limitsText({ limit, perSecond }: Extract<UploadEvent, { kind: "pace" }>): string {
  return perSecond === undefined
    ? `${limit} in flight at most`
    : `${limit} in flight and ${perSecond} a second at most`;
}

function supplierText({ supplier, open, code, probeInMs }: SupplierEvent): string {
  const who = ["Import supplier", supplier].filter((word) => word !== "").join(" ");
  if (open) return `${who} takes records again`;
  const next = probeInMs === undefined ? "" : `; asking again in ${duration(probeInMs / 1000)}`;
  return `${who} takes no records for now (${code ?? "no code"})${next}`;
}

type SupplierEvent = Extract<UploadEvent, { kind: "supplier" }>;

function createSendTotals(now: () => number) {
  const counts = new Map<Status, number>();
  const waitedFor = new Set<string>();
  let expected = 0;
  let settled = 0;
  let inFlight = 0;
  let startedAt: number | undefined;
  return {
    expect: (records: number) => {
      expected = records;
    },
    add: (event: Extract<UploadEvent, { kind: "outcome" }>) => {
      startedAt ??= now();
      inFlight = event.inFlight;
      // A record that waits for its import supplier will have another outcome.
      if (event.status === "pending" && waitedFor.size > 0) return;
      settled += 1;
      counts.set(event.status, (counts.get(event.status) ?? 0) + 1);
    },
    /** The records of an import supplier are held back, or no longer. */
    note: ({ supplier, open, probeInMs }: SupplierEvent) => {
      startedAt ??= now();
      if (open || probeInMs === undefined) waitedFor.delete(supplier);
      else waitedFor.add(supplier);
    },
    /** Number sent, number of each status, rate, in flight, time left. */
    text: () => {
      const seconds = Math.max(0.001, (now() - (startedAt ?? 0)) / 1000);
      const rate = settled / seconds;
      const statuses = [...counts].map(([status, records]) => `${formatCount(records)} ${status}`);
      const left = expected > settled && seconds > 1 ? [`${duration((expected - settled) / rate)} left`] : [];
      return [
        `Sent ${formatCount(settled)}`,
        ...statuses,
        `${formatCount(Math.round(rate))}/s`,
        `${inFlight} in flight`,
        ...(waitedFor.size > 0 ? [`waiting for import supplier ${[...waitedFor].join(", ")}`] : []),
        ...left,
      ].join(", ");
    },
  };
}

interface Line {
  readonly show: (text: () => string) => void;
  readonly logAbove: (log: () => void) => void;
  readonly stop: () => void;
}

/** ora draws the line; its text is computed at most ten times a second. */
function liveLine(colour: boolean, now: () => number): Line {
  const spinner = ora({ stream: process.stderr, discardStdin: false, color: colour && "cyan" });
  let nextAt = 0;
  return {
    show: (text) => {
      if (now() < nextAt) return;
      nextAt = now() + LIVE_EVERY_MS;
      spinner.text = text();
      if (!spinner.isSpinning) spinner.start();
    },
    logAbove: (log) => {
      const spinning = spinner.isSpinning;
      spinner.stop();
      log();
      if (spinning) spinner.start();
    },
    stop: () => {
      spinner.stop();
    },
  };
}

function plainLine(logger: Logger, now: () => number): Line {
  let nextAt = now() + PLAIN_EVERY_MS;
  return {
    show: (text) => {
      if (now() < nextAt) return;
      nextAt = now() + PLAIN_EVERY_MS;
      logger.notice(text());
    },
    logAbove: (log) => log(),
    stop: () => undefined,
  };
}

function duration(seconds: number): string {
  if (seconds < 90) return `${Math.ceil(seconds)} s`;
  return seconds < 5400 ? `${Math.ceil(seconds / 60)} min` : `${(seconds / 3600).toFixed(1)} h`;
}
