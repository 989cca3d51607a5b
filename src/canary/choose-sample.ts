import type { JsonObject, JsonValue } from "../json/json-value.ts";

/** A record that may be chosen for the sample. */
interface SampledRecord {
  readonly record: number;
  /** The file that contains the record's root row. */
  readonly file: string;
  readonly payload: JsonObject;
}

/** Chooses a sample of the added records. Add the records in input order. */
export interface Sampler {
  readonly add: (record: SampledRecord) => void;
  /** Returns the numbers of the chosen records in ascending order. */
  readonly chosen: () => readonly number[];
}

/**
 * An attr with more distinct values than this is considered free text. Free text does not show which branches of the
 * mapping are used.
 */
const MAX_VALUES = 12;

/** A record with a feature that no earlier record has. */
interface Candidate {
  readonly record: number;
  readonly features: readonly Feature[];
}

/**
 * One of these: a file, an attr (with `*` for each list index), the size of a list (none, one or several items), or an
 * attr with one of its values.
 */
interface Feature {
  readonly name: string;
  /** The attr, if the feature is one of its values. */
  readonly attr?: string;
}

/**
 * Creates a sampler. Its sample covers the files, the attrs, and the values of attrs that have few values, because
 * these features show which branches of the mapping are used. The remaining records in the sample are spread over the
 * input. Memory grows with the number of files and attrs, not with the number of records. The same records always
 * produce the same sample.
 * @param size number of records to choose
 * @param total number of records that will be added
 */
export function createSampler(size: number, total: number): Sampler {
  const seen = new Set<string>();
  const values = new Map<string, number>();
  const candidates: Candidate[] = [];
  const spread: number[] = [];
  let added = 0;

  const isNew = ({ name, attr }: Feature): boolean => {
    if (seen.has(name) || (attr !== undefined && (values.get(attr) ?? 0) > MAX_VALUES)) return false;
    seen.add(name);
    if (attr !== undefined) values.set(attr, (values.get(attr) ?? 0) + 1);
    return true;
  };
  const hasFewValues = ({ attr }: Feature): boolean => attr === undefined || (values.get(attr) ?? 0) <= MAX_VALUES;

  return {
    add(sampled) {
      const features = featuresOf(sampled);
      if (features.filter(isNew).length > 0) candidates.push({ record: sampled.record, features });
      // Takes one record from each of `size` equal parts of the input. Sample records that are not chosen for their
      // features come from this selection.
      if (Math.floor((added * size) / total) >= spread.length) spread.push(sampled.record);
      added += 1;
    },
    chosen() {
      const sample = new Set<number>();
      const open = new Set(candidates.flatMap(({ features }) => features.filter(hasFewValues).map(({ name }) => name)));
      while (open.size > 0 && sample.size < size) {
        const best = highestScoring(candidates, ({ features }) => features.filter(({ name }) => open.has(name)).length);
        if (best === undefined) break;
        sample.add(best.record);
        for (const { name } of best.features) open.delete(name);
      }
      const others = spread.filter((record) => !sample.has(record));
      const missing = Math.min(size - sample.size, others.length);
      for (let index = 0; index < missing; index += 1) {
        const other = others[Math.floor((index * others.length) / missing)];
        if (other !== undefined) sample.add(other);
      }
      return [...sample].toSorted((a, b) => a - b);
    },
  };
}

/** Returns the first candidate with the highest score; undefined if all scores are 0. */
function highestScoring(
  candidates: readonly Candidate[],
  score: (candidate: Candidate) => number,
): Candidate | undefined {
  let best: Candidate | undefined;
  let highest = 0;
  for (const candidate of candidates) {
    const own = score(candidate);
    if (own <= highest) continue;
    [best, highest] = [candidate, own];
  }
  return best;
}

function featuresOf({ file, payload }: SampledRecord): readonly Feature[] {
  const found = new Map<string, Feature>([[file, { name: `file ${file}` }]]);
  const visit = (value: JsonValue, attr: string): void => {
    if (typeof value === "object" && value !== null) {
      const entries: readonly (readonly [string, JsonValue])[] = Array.isArray(value)
        ? value.map((item: JsonValue) => ["*", item] as const)
        : Object.entries(value);
      for (const [name, member] of entries) visit(member, attr === "" ? name : `${attr}.${name}`);
      if (Array.isArray(value)) add({ name: `attr ${attr} has ${Math.min(value.length, 2)} items` });
      return;
    }
    add({ name: `attr ${attr}` });
    add({ name: `value ${attr} ${JSON.stringify(value)}`, attr });
  };
  const add = (feature: Feature): void => void found.set(feature.name, feature);
  visit(payload, "");
  return [...found.values()];
}
