import type { Discriminator, FieldType, ObjectType } from "../contract/field-type.ts";
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from "../model/json.ts";
import type { RuleProblem } from "../model/problem.ts";
import { shapeOf } from "../model/shape.ts";
import type { AttrPath } from "../model/attr.ts";
import { expressionCompiler } from "./compile-expression.ts";
import { compileRule, type BrokenRule, type RuleJudge } from "./compile-rule.ts";
import { ruleBearing, skipReason } from "./rule-reach.ts";
import type { RuleWorld, Scope } from "./rule-world.ts";
import type { Spot } from "./spot.ts";

type Unplaced<P> = P extends unknown ? Omit<P, "place"> : never;

/** A broken rule, before anybody knows which cell stands behind it. `path` leads to the value in question. */
export type FoundRuleProblem = Unplaced<RuleProblem> & { readonly path: AttrPath };

/**
 * The rules that one payload breaks, each once. `wrong`: attrs at which something is reported already; rules that read
 * there say nothing. Not re-entrant. A good payload gives one shared empty array.
 */
export type JudgeRules = (payload: JsonObject, wrong: ReadonlySet<string>) => readonly FoundRuleProblem[];

export interface JudgeOptions {
  /** Whether problems carry the value itself: only when the user asked to see values. */
  readonly keepValues: boolean;
}

/**
 * Compiles the rules of a request body's type; undefined when it has none that can be judged. Rules that depend on a
 * setting or a reference list that is not there are left out.
 */
export function compileRules(body: FieldType, world: RuleWorld, { keepValues }: JudgeOptions): JudgeRules | undefined {
  const visitor = visitorCompiler(body, world);
  const visit = visitor(body);
  if (visit === undefined) return undefined;
  const found: Finds = { problems: new Map() };
  const scope: Scope = {
    top: { value: null },
    self: { value: null },
    other: undefined,
    found: undefined,
    wrong: undefined,
    unsound: false,
  };
  const add = (broken: BrokenRule): void => addProblem(broken, found, keepValues);
  return (payload, wrong) => {
    const root: Spot = { value: payload };
    scope.wrong = wrong.size === 0 ? undefined : wrong;
    visit(root, scope, add);
    if (found.problems.size === 0) return NOTHING;
    const problems = [...found.problems.values()];
    found.problems.clear();
    return problems;
  };
}

function passOver(): void {}

const NOTHING: readonly FoundRuleProblem[] = Object.freeze([]);

interface Finds {
  /** By code, attr and path, so that rules which say the same thing say it once. */
  readonly problems: Map<string, FoundRuleProblem>;
}

function addProblem({ rule, attr, path, value }: BrokenRule, { problems }: Finds, keepValues: boolean): void {
  const key = [rule.code, attr, ...path].join("\n");
  if (problems.has(key)) return;
  const { code, severity, kind, about, message } = rule;
  const isScalar = value !== undefined && typeof value !== "object";
  problems.set(key, {
    attr,
    path,
    severity,
    by: "local",
    code,
    rule: kind,
    fields: about,
    ...(message !== undefined && { message }),
    ...(isScalar && { shape: shapeOf(value) }),
    ...(isScalar && keepValues && { value: String(value) }),
  });
}

type Visit = (spot: Spot, scope: Scope, add: (broken: BrokenRule) => void) => void;

/** Each type is compiled once; undefined for one in which no rule stands. */
function visitorCompiler(body: FieldType, world: RuleWorld): (type: FieldType) => Visit | undefined {
  const compiler = expressionCompiler(world);
  const bearing = ruleBearing(body, (rule) => skipReason(rule, world) === undefined);
  const compiled = new Map<FieldType, Visit>();
  const judges = new Map<unknown, RuleJudge>();
  const visitorOf = (type: FieldType): Visit | undefined => {
    if (!bearing.has(type)) return undefined;
    const known = compiled.get(type);
    if (known !== undefined) return known;
    let visit: Visit = passOver;
    compiled.set(type, (spot, scope, add) => visit(spot, scope, add));
    const own = (type.rules ?? [])
      .filter((rule) => skipReason(rule, world) === undefined)
      .map((rule) => {
        const judge = judges.get(rule) ?? compileRule(rule, compiler);
        judges.set(rule, judge);
        return judge;
      });
    const inside = insideVisit(type, visitorOf);
    visit = (spot, scope, add) => {
      for (const judge of own) judge(spot, scope, add);
      inside?.(spot, scope, add);
    };
    compiled.set(type, visit);
    return visit;
  };
  return visitorOf;
}

function insideVisit(type: FieldType, visitorOf: (type: FieldType) => Visit | undefined): Visit | undefined {
  if (type.kind === "object") {
    const fields = [...type.properties.values()].flatMap(({ name, type: of }) => {
      const visit = visitorOf(of);
      return visit === undefined ? [] : [{ name, visit }];
    });
    const others = type.additional === "closed" ? undefined : visitorOf(type.additional);
    const visit = fields.length === 0 ? undefined : fieldsVisit(fields);
    return others === undefined ? visit : othersVisit(type, visit, others);
  }
  if (type.kind === "list") {
    const visit = visitorOf(type.items);
    return visit && itemsVisit(visit);
  }
  return type.kind === "union" ? unionVisit(type.options, type.discriminator, visitorOf) : undefined;
}

interface FieldVisit {
  readonly name: string;
  readonly visit: Visit;
}

function fieldsVisit(fields: readonly FieldVisit[]): Visit {
  return (spot, scope, add) => {
    const { value } = spot;
    if (!isJsonObject(value)) return;
    for (const { name, visit } of fields) {
      const member = Object.hasOwn(value, name) ? value[name] : undefined;
      if (member !== undefined && member !== null) visit({ value: member, up: spot, key: name }, scope, add);
    }
  };
}

/** The documented fields, then the others. */
function othersVisit({ properties }: ObjectType, visit: Visit | undefined, others: Visit): Visit {
  return (spot, scope, add) => {
    visit?.(spot, scope, add);
    for (const [key, value] of Object.entries(isJsonObject(spot.value) ? spot.value : {})) {
      if (value !== null && !properties.has(key)) others({ value, up: spot, key }, scope, add);
    }
  };
}

function itemsVisit(visit: Visit): Visit {
  return (spot, scope, add) => {
    if (!isJsonArray(spot.value)) return;
    for (const [index, value] of spot.value.entries()) {
      if (value !== null) visit({ value, up: spot, key: index }, scope, add);
    }
  };
}

/** The option that the discriminator chooses; without one, the first that knows all the value's fields. */
function unionVisit(
  options: readonly FieldType[],
  discriminator: Discriminator | undefined,
  visitorOf: (type: FieldType) => Visit | undefined,
): Visit {
  if (discriminator !== undefined) {
    const visits = new Map([...discriminator.mapping].map(([tag, type]) => [tag, visitorOf(type)]));
    return (spot, scope, add) => {
      if (!isJsonObject(spot.value)) return;
      visits.get(tagOf(spot.value[discriminator.property]))?.(spot, scope, add);
    };
  }
  const visits = options.map((type) => ({ type, visit: visitorOf(type) }));
  return (spot, scope, add) => visits.find(({ type }) => couldBe(spot.value, type))?.visit?.(spot, scope, add);
}

/** As validation reads it: `null` stands for a tag that is not there, too. */
function tagOf(tag: JsonValue | undefined): string {
  if (tag === undefined || tag === null) return "null";
  return typeof tag === "object" ? "" : String(tag);
}

function couldBe(value: JsonValue, type: FieldType): boolean {
  if (type.kind === "object") {
    if (!isJsonObject(value)) return false;
    const needed = [...type.properties.values()].every(({ name, required }) => !required || Object.hasOwn(value, name));
    return needed && (type.additional !== "closed" || Object.keys(value).every((name) => type.properties.has(name)));
  }
  if (type.kind === "list") return isJsonArray(value);
  return type.kind === "union" || type.kind === "any" || typeof value !== "object";
}
