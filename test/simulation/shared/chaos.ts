import { between, pickWeighted } from "../../seeded-dice.ts";
import type { Weather } from "../weather.ts";
import type { Planner, SharedScene } from "./shared-scene.ts";

export interface Chaos {
  readonly count: (kind: string) => void;
  readonly setServerClock: (byMs: number) => void;
}

type Fault = "kill" | "freeze" | "stop" | "cut" | "outage" | "lost replies" | "clock" | "freeze all";

/** Schedules up to eight random faults at random moments in the next minute. */
export function scheduleFaults(scene: SharedScene, planner: Planner, { count, setServerClock }: Chaos): void {
  const { dice, clock, note, network, workers } = scene;
  const within = dice() < 0.8 ? 12_000 : 60_000;
  const anyProcess = (): typeof planner.process | undefined => {
    const living = scene.processes.filter((one) => !one.isOver());
    return living[Math.floor(dice() * living.length)];
  };
  const inject: Readonly<Record<Fault, () => void>> = {
    kill: () => anyProcess()?.kill(),
    freeze: () => anyProcess()?.freeze(between(dice, 200, 4 * workers.leaseMs)),
    stop: () => anyProcess()?.stop(),
    cut: () => network.cut(between(dice, 100, 3 * workers.leaseMs), anyProcess()),
    outage: () => network.cut(between(dice, 100, dice() < 0.9 ? 20_000 : 90_000)),
    "lost replies": () => network.loses(dice() * 0.2),
    clock: () => setServerClock(between(dice, -60_000, 60_000)),
    "freeze all"() {
      const ms = between(dice, 1_000, 60_000);
      for (const one of scene.processes) if (!one.isOver()) one.freeze(ms);
    },
  };
  const injectLater = async (): Promise<void> => {
    const [at, fault] = [between(dice, 0, within), pickWeighted(dice, FAULTS)];
    await clock.sleep(at);
    if (isCalm(scene)) return;
    note(fault);
    count(fault);
    inject[fault]();
  };
  for (let left = between(dice, 0, 8); left > 0; left -= 1) void injectLater();
}

const FAULTS: readonly (readonly [number, Fault])[] = [
  [5, "kill"],
  [6, "freeze"],
  [2, "stop"],
  [3, "cut"],
  [4, "outage"],
  [2, "lost replies"],
  [0.3, "clock"],
  [1, "freeze all"],
];

const calmScenes = new WeakSet<SharedScene>();

function isCalm(scene: SharedScene): boolean {
  return calmScenes.has(scene);
}

/** Ends all faults, now and in the future. */
export function calm(scene: SharedScene, weather: Weather): void {
  calmScenes.add(scene);
  weather.clear();
  scene.network.clear();
  scene.stalls.share = 0;
  for (const one of scene.processes) one.thaw();
}
