/**
 * Returns the ways in which the date in `value` could have been written in a cell. An ambiguous date yields the
 * notations of each possible day. Returns an empty list if `value` is neither a date nor a month with a number
 * (`Jan-11`).
 */
export function dateForms(value: string): readonly string[] {
  const [, date = "", time] =
    /^(\S+(?:[ -][A-Za-z]{3,9}[ -]\d{2,4})?)(?:[T ](\d{1,2}:\d\d(?::\d\d)?(?:\.0+)?))?$/.exec(value.trim()) ?? [];
  const days = daysOf(date);
  if (days.length === 0) return monthForms(value.trim());
  const forms = days.flatMap((day) => FORMS.map((form) => form(day)));
  const clock = time?.replace(/\.0+$/, "");
  if (clock === undefined || /^0?0:00(?::00)?$/.test(clock))
    return [
      ...forms,
      ...forms.flatMap((form) => [`${form} 00:00:00`, `${form}T00:00:00`, `${form} 00:00`, `${form}T00:00:00Z`]),
    ];
  const clocks = [clock, `${clock}:00`, clock.replace(/:00$/, ""), `0${clock}`];
  return forms.flatMap((form) => clocks.flatMap((each) => [`${form} ${each}`, `${form}T${each}`, `${form}T${each}Z`]));
}

/** Returns the strings that a spreadsheet displays as `Jan-11` or `11-Jan`: `1-11`, `11/01`, `2011-01`, `JAN11`. */
function monthForms(value: string): readonly string[] {
  const [, before, name = "", after] = /^(\d{1,2})?-?([A-Za-z]{3})(?:[a-z]*[- ](\d{1,2}|\d{4}))?$/.exec(value) ?? [];
  const month = MONTHS.indexOf(name.toLowerCase()) + 1;
  const number = Number(before ?? after ?? 0);
  if (month === 0 || number === 0 || (before !== undefined) === (after !== undefined)) return [];
  const words = monthName(month);
  const numbers = number > 31 ? [String(number)] : [String(number), two(number)];
  const full = number > 99 ? [String(number)] : [`20${two(number)}`, `19${two(number)}`];
  const written = [...new Set([...numbers, ...full])];
  return [
    ...["-", "/", "."].flatMap((mark) =>
      written.flatMap((one) => [String(month), two(month)].flatMap((each) => [one + mark + each, each + mark + one])),
    ),
    ...numbers.flatMap((one) =>
      [words, words.toUpperCase()].flatMap((each) => [
        `${each}-${one}`,
        `${one}-${each}`,
        `${each}${one}`,
        `${one}${each}`,
      ]),
    ),
  ];
}

interface Day {
  readonly year: number;
  readonly month: number;
  readonly day: number;
}

/** Returns the days that a date may mean: `1/2/20` may be in January or February, in 1920 or 2020. */
function daysOf(date: string): readonly Day[] {
  const [, year, month, day] =
    /^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})$/.exec(date) ?? /^(\d{4})(\d\d)(\d\d)$/.exec(date) ?? [];
  if (year !== undefined) return plausibleDays([{ year: Number(year), month: Number(month), day: Number(day) }]);
  const [, one, two, last] = /^(\d{1,2})[-/. ](\d{1,2})[-/. ](\d{4}|\d\d)$/.exec(date) ?? [];
  if (last !== undefined) {
    const [first, second] = [Number(one), Number(two)];
    return plausibleDays(
      years(last).flatMap((each) => [
        { year: each, month: second, day: first },
        { year: each, month: first, day: second },
      ]),
    );
  }
  const [, named, name = "", ofYear] = /^(\d{1,2})[- ]([A-Za-z]{3})[A-Za-z]*[- ](\d{4}|\d\d)$/.exec(date) ?? [];
  if (ofYear === undefined) return [];
  return plausibleDays(
    years(ofYear).map((each) => ({ year: each, month: MONTHS.indexOf(name.toLowerCase()) + 1, day: Number(named) })),
  );
}

/** The names of the months in English, in lower case. */
export const MONTH_NAMES: readonly string[] =
  "january february march april may june july august september october november december".split(" ");
const MONTHS = MONTH_NAMES.map((name) => name.slice(0, 3));

function years(text: string): readonly number[] {
  const year = Number(text);
  return text.length === 4 ? [year] : [2000 + year, 1900 + year];
}

function plausibleDays(days: readonly Day[]): readonly Day[] {
  return days.filter(({ month, day }) => month >= 1 && month <= 12 && day >= 1 && day <= 31);
}

type Form = (day: Day) => string;

const two = (number: number): string => String(number).padStart(2, "0");
const short = (year: number): string => two(year % 100);
const monthName = (month: number): string => {
  const name = MONTHS[month - 1] ?? "";
  return name.slice(0, 1).toUpperCase() + name.slice(1);
};

const FORMS: readonly Form[] = [
  ...["-", "/", "."].flatMap((mark): Form[] => [
    ({ year, month, day }) => [two(day), two(month), year].join(mark),
    ({ year, month, day }) => [year, two(month), two(day)].join(mark),
    ({ year, month, day }) => [two(month), two(day), year].join(mark),
    ({ year, month, day }) => [day, month, year].join(mark),
    ({ year, month, day }) => [month, day, year].join(mark),
    ({ year, month, day }) => [two(day), two(month), short(year)].join(mark),
    ({ year, month, day }) => [day, month, short(year)].join(mark),
    ({ year, month, day }) => [two(month), two(day), short(year)].join(mark),
    ({ year, month, day }) => [month, day, short(year)].join(mark),
    ({ year, month, day }) => [year, month, day].join(mark),
  ]),
  ({ year, month, day }) => `${year}${two(month)}${two(day)}`,
  ({ year, month, day }) => `${two(day)}${two(month)}${year}`,
  ...["-", " "].flatMap((mark): Form[] => [
    ({ year, month, day }) => [two(day), monthName(month), year].join(mark),
    ({ year, month, day }) => [two(day), monthName(month).toUpperCase(), year].join(mark),
    ({ year, month, day }) => [day, monthName(month), short(year)].join(mark),
    ({ year, month, day }) => [two(day), monthName(month), short(year)].join(mark),
    ({ year, month, day }) => [day, monthName(month), year].join(mark),
  ]),
];
