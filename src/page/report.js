// The rows, the filters and the search of report.html. The page contains this file unchanged, so it uses no modules and
// no packages. Text from the data is inserted only as text.
/** @import { PageData, RowData } from "../report/page/page-data.ts" */
"use strict";
(() => {
  /** Number of rows of each cause to show initially. */
  const ROWS_AT_ONCE = 25;

  /** @type {PageData} */
  const data = JSON.parse(document.getElementById("data")?.textContent ?? '{"showValues":false,"causes":[]}');
  const form = document.querySelector("form");
  const found = document.getElementById("found");
  const search = document.getElementById("search");
  if (form === null || found === null || !(search instanceof HTMLInputElement)) return;

  /** @typedef {PageData["causes"][number]} CauseData */
  /** @typedef {{ text: string, file: string, column: string, code: string }} Filter */
  /** @typedef {RowData & { file: string, column: string, codes: string[] }} Row */
  /** @typedef {{ rows: Row[], count: number }} Match */

  /** @typedef {{ details: HTMLDetailsElement, rows: HTMLElement }} RowList */
  /**
   * @typedef {{ cause: CauseData, card: HTMLElement, list: RowList | undefined, shown: number, isOpenedBySearch: boolean }} Card
   */

  /** @type {Card[]} */
  const cards = data.causes.flatMap((cause, at) => {
    const card = document.getElementById(`cause-${at + 1}`);
    if (!card) return [];
    const details = card.querySelector("details.places");
    const rows = card.querySelector(".rows");
    // A cause with a single place has no list of rows.
    const hasList = details instanceof HTMLDetailsElement && rows instanceof HTMLElement;
    const list = hasList ? { details, rows } : undefined;
    return [{ cause, card, list, shown: ROWS_AT_ONCE, isOpenedBySearch: false }];
  });

  const places = data.causes.flatMap((cause) => cause.places);
  const files = places.map((place) => place.file);
  const columns = places.map((place) => place.column ?? "");
  const codes = data.causes.flatMap((cause) => [cause, ...cause.also]).map((finding) => finding.code);
  const choices = { file: choiceOf("file", files), column: choiceOf("column", columns), code: choiceOf("code", codes) };
  form.hidden = false;

  for (const card of cards) card.list?.details.addEventListener("toggle", () => renderRows(card, filterNow()));
  let timer = 0;
  form.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(apply, 150);
  });
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", () => setTimeout(apply));
  addEventListener("beforeprint", () => {
    for (const details of document.querySelectorAll("details")) details.open = true;
    for (const card of cards) renderRows(card, filterNow());
  });
  apply();

  /** @param {string} id @param {string[]} values */
  function choiceOf(id, values) {
    const choice = document.getElementById(id);
    if (!(choice instanceof HTMLSelectElement)) throw new Error(`no select element ${id}`);
    const distinct = [...new Set(values)].filter((value) => value !== "").toSorted((a, b) => a.localeCompare(b));
    for (const value of distinct) choice.append(new Option(value, value));
    return choice;
  }

  /** @returns {Filter} */
  function filterNow() {
    const text = search instanceof HTMLInputElement ? search.value.trim().toLowerCase() : "";
    return { text, file: choices.file.value, column: choices.column.value, code: choices.code.value };
  }

  function apply() {
    const filter = filterNow();
    let causes = 0;
    let total = 0;
    for (const card of cards) {
      const match = matchOf(card.cause, filter);
      card.card.hidden = match.count === 0;
      card.shown = ROWS_AT_ONCE;
      causes += match.count > 0 ? 1 : 0;
      total += match.count;
      if (card.list === undefined) continue;
      const { details } = card.list;
      const where = details.querySelector(".where");
      if (where !== null) where.textContent = counted(match.count, "place");
      // A search opens the lists of the first ten matching causes. A list opened by a search closes once its cause is
      // no longer one of them, or once the search ends.
      const isFound = filter.text !== "" && match.count > 0 && causes <= 10;
      if (isFound ? !details.open && !card.isOpenedBySearch : card.isOpenedBySearch) {
        details.open = isFound;
        card.isOpenedBySearch = isFound;
      }
      renderRows(card, filter);
    }
    if (found !== null) found.textContent = foundText(filter, causes, total);
  }

  /** @param {Filter} filter @param {number} causes @param {number} count */
  function foundText(filter, causes, count) {
    const all = data.causes.reduce((sum, cause) => sum + cause.count, 0);
    if (Object.values(filter).every((value) => value === "")) return "";
    if (causes === 0) return "No matches.";
    const shown = `${counted(count, "place")} in ${counted(causes, "cause")}, out of ${counted(all, "place")} in ${counted(cards.length, "cause")}.`;
    const listed = data.causes.reduce((sum, cause) => sum + rowsOf(cause).length, 0);
    const limit = `The search covers the ${number(listed)} rows on this page; errors.csv contains all rows.`;
    return filter.text !== "" && listed < all ? `${shown} ${limit}` : shown;
  }

  /**
   * Returns the matching rows of a cause and the number of its matching places. If the text occurs only in rows, or if
   * only some cells of the cause have the code, counts only the rows on the page. Otherwise, counts all places.
   * @param {CauseData} cause @param {Filter} filter @returns {Match}
   */
  function matchOf(cause, { text, file, column, code }) {
    const isWanted = (/** @type {{ file: string, column?: string }} */ place) =>
      (file === "" || place.file === file) && (column === "" || place.column === column);
    const rows = rowsOf(cause).filter((row) => isWanted(row) && (code === "" || row.codes.includes(code)));
    const isWhole = text === "" || textsOf(cause).some((one) => one.toLowerCase().includes(text));
    if (isWhole && isInEveryCell(cause, code)) {
      const count = cause.places.filter(isWanted).reduce((sum, place) => sum + place.count, 0);
      return { rows, count: file === "" && column === "" ? cause.count : count };
    }
    const fitting = isWhole ? rows : rows.filter((row) => textOf(row).includes(text));
    return { rows: fitting, count: fitting.length };
  }

  /** @param {CauseData} cause @param {string} code */
  function isInEveryCell(cause, code) {
    return code === "" || [cause, ...cause.also].some((one) => one.code === code && one.count === cause.count);
  }

  /** @param {CauseData} cause */
  function textsOf(cause) {
    return [cause, ...cause.also].flatMap(({ title, words, attr, code }) => [title, words, attr, code]);
  }

  /** @param {CauseData} cause @returns {Row[]} */
  function rowsOf(cause) {
    const areInEveryCell = cause.also.every(({ count }) => count === cause.count);
    const rows = cause.places.flatMap((place) =>
      place.rows.map((row) => {
        const own = (row.also ?? []).flatMap((at) => cause.also[at] ?? []);
        const titles = own.map(({ title }) => title).join(", ");
        const note = titles === "" ? row.note : `${row.note ?? ""} Also: ${titles}.`.trim();
        const codesOfRow = [cause, ...(areInEveryCell ? cause.also : own)].map(({ code }) => code);
        const { file, column = "" } = place;
        return { ...row, file, column, codes: codesOfRow, ...(note !== undefined && { note }) };
      }),
    );
    return rows.toSorted((a, b) => a.record - b.record);
  }

  /** @param {Row} row */
  function textOf({ key = "", file, line, column, pointer, shape = "", value = "", note = "" }) {
    return [key, file, String(line), pointer ?? column, shape, value, note].join("\n").toLowerCase();
  }

  /** @param {Card} card @param {Filter} filter */
  function renderRows(card, filter) {
    if (card.list === undefined) return;
    if (!card.list.details.open) {
      card.list.rows.replaceChildren();
      return;
    }
    const { rows, count } = matchOf(card.cause, filter);
    const shown = rows.slice(0, card.shown);
    const more = element("p", "more", moreText({ shown: shown.length, listed: rows.length, count }));
    if (shown.length < rows.length) more.append(" ", moreButton(card, filter));
    const place = `Rows of cause ${cards.indexOf(card) + 1}`;
    card.list.rows.replaceChildren(table(shown, place), more);
  }

  /** @param {{ shown: number, listed: number, count: number }} counts */
  function moreText({ shown, listed, count }) {
    if (shown === count) return "";
    if (listed === count) return `The first ${number(shown)} of ${number(count)}.`;
    const rest = count - listed;
    return `The first ${number(shown)} of ${number(listed)} rows on this page; ${number(rest)} more ${rest === 1 ? "is" : "are"} in errors.csv.`;
  }

  /** @param {Card} card @param {Filter} filter */
  function moreButton(card, filter) {
    const button = element("button", "", "Show more");
    button.setAttribute("type", "button");
    button.addEventListener("click", () => {
      const first = card.shown;
      card.shown += 4 * ROWS_AT_ONCE;
      renderRows(card, filter);
      // The clicked button has been removed, so the first new row receives the focus.
      const row = card.list?.rows.querySelectorAll("tbody tr")[first];
      if (!(row instanceof HTMLElement)) return;
      row.tabIndex = -1;
      row.focus();
    });
    return button;
  }

  /** @param {Row[]} rows @param {string} label */
  function table(rows, label) {
    const hasNotes = rows.some((row) => row.note !== undefined);
    const titles = ["Record", "File", "Line", "Column", "Looks like"];
    if (data.showValues) titles.push("Value");
    if (hasNotes) titles.push("Note");
    const whole = document.createElement("table");
    const head = whole.createTHead().insertRow();
    for (const title of titles) {
      const cell = element("th", "", title);
      cell.setAttribute("scope", "col");
      head.append(cell);
    }
    const body = whole.createTBody();
    for (const { record, key, file, line, column, pointer, shape, value, note = "" } of rows) {
      const row = body.insertRow();
      for (const text of [key ?? `no. ${record}`, file, line, pointer ?? column]) row.insertCell().append(String(text));
      row.insertCell().append(element("code", "", shape));
      if (data.showValues) row.insertCell().append(element("code", "", value));
      if (hasNotes) row.insertCell().append(note);
    }
    const scroll = element("div", "scroll");
    scroll.tabIndex = 0;
    scroll.setAttribute("role", "region");
    scroll.setAttribute("aria-label", label);
    scroll.append(whole);
    return scroll;
  }

  /** @param {string} name @param {string} className @param {string} [text] */
  function element(name, className, text) {
    const made = document.createElement(name);
    if (className !== "") made.className = className;
    if (text !== undefined) made.textContent = text;
    return made;
  }

  /** @param {number} count @param {string} noun */
  function counted(count, noun) {
    return `${number(count)} ${noun}${count === 1 ? "" : "s"}`;
  }

  /** @param {number} count */
  function number(count) {
    return count.toLocaleString("en");
  }
})();
