/**
 * Column names in billing systems. Each line contains a meaning, a colon, and the spellings of that meaning. The
 * spellings are in lower case, with spaces between their parts. Compounds such as `CUSTNO` are split into single-word
 * spellings. An indented line continues the previous line.
 */
export const FIELD_WORDS: string = `
# Identifiers and codes
id: id, ident, identifier, no, num, nr, nbr, number, ref, reference, key, uid, numb
code: code, cd, cde
account: contract acc, contract acct, customer account, account, acc, acct, accnt, a c, billing account, contract account, vkont
external: external, ext, legacy, old, source system, src
customer: gpart, holder, account holder, customer, cust, cst, client, consumer, party, person, partners, bp, contact
business: business, biz, organisation, organization, org, trading
company: company, coy, co
supplier: supplier, suppl, splr, retailer
import: import
sequence: sequence, seq, sort order, order, ord, rank, position, pos
line: line, ln
statement: statement, stmt, stmnt
row: row, rec, record
type: type, typ, ty, kind, category, cat, class, cls
method: method, mthd, means, mode
status: status, stat, state flag
flag: flag, ind, indicator, yn
# People
name: name, nm, nme
given name: fnm, frstnm, fstnm, given, cust first, customer first, contact first, first, fname, f name, forename, fore name, first name,
  firstname, christian name, frst nm, fst name
family name: snm, lnm, surnm, lstnm, family, cust last, customer last, contact last, lname, l name, surname, sname, s name, last name,
  lastname, lst nm, sur name
middle name: middle, mname, middle name, second name
initials: initials, init, inits
full name: full name, fullname, whole name, display name
title: title, ttl, prefix, honorific
salutation: salutation, salut, saln, greeting, dear
birth date: birthdt, dob, d o b, birth, born, birth date, birthdate, birthday, date of birth, bdate, dte of birth, birth dt
email: smtp addr, email, e mail, emailaddr, eml, eemail addr, e emailaddress
phone: phone, tel, telephone, ph, tel no, telno, phone no, phone number, telephone number, contact number, contact
  no, contact phone
mobile phone: mobile, mob, cell, cellphone, mobile phone, mob no, mobile no, mobile number, mobile tel, handphone,
  mbl, phone mobile, tel mob, tel mobile, mob tel
landline phone: landline, home phone, home tel, tel home, phone home, fixed line, land line, evening phone, daytime
  phone, day tel, work tel, work phone, eve tel, tel day, tel eve, std phone, home number, tel 1, phone 1
gender: gender, sex
language: language, lang, lng
occupier: occupier, occ, occupant
role: role, relationship, rel
deceased: deceased, dead
priority services: psr, priority services, priority service register, vulnerable, vulnerability, special needs
# Addresses
address: address, addr, adr, add, addr line, address line, adr line, addr ln, add line, adrs, addrs
street: strasse, street, str, strt, road, thoroughfare, street name
house: house, hse, house number, house no, hse no, building number
building: building, bldg, flat, unit, property name
town: town, city, suburb, locality, post town, posttown, place, twn
county: county, cnty, region, administrative area
state: state, province, territory
postcode: postcode, post code, pcode, p code, postal code, postcd, pstcd, pcd, zip, zipcode, zip code, post cd, pst
  cd
country: country, ctry
supply: supp, supply, sup, site, premise, premises, prem, property, prop, service, svc, installation, installed at,
  consumption place
billing address: mail address, mail addr, mailing address, postal address
billing: billed, bld, billing, bill, invoice, inv, correspondence, corr, mailing
# Meter points, meters and products
meter point id: ext ui, extui, mpan, mprn, mpr, mpxn, nmi, mirn, mpan core, core mpan, meter point, meterpoint, supply number,
  supply no, meter point ref, meter point reference, meter point number, supply point, supply point
  id, spid, pod
supply start date: ssd, einzdat
meter: meter, mtr, device, dev, counter
serial id: sernr, serial, ser, sn, s n, ser no, serno, serial no, serial number, serialno
meter serial id: msn, meter serial, meter serial number, meter no, meter number, mtr no, meterno, meter ref, meter
  id, mtr ser, device no, device number
register: register, reg, rgst, dial
digits: digits, dials, nod, no of digits, number of digits, num digits, no of dials, number of dials, digit count
reading: reading, read, rdg, rd, rdng, index, mtr read
value: value, val, figure, reading value
tariff: tariff, trf, tarif, rate plan, price plan, plan, product, prod
fuel: util, sparte, division, fuel, fuel type, supply type, utility, utility type, commodity, energy, energy type, service type, fuel cd,
  sector
annual consumption: ann cons, cons, perverbr, period consumption, eac, aq, kwh, annual consumption, annual usage, estimated annual consumption, annual quantity,
  aac, yearly usage, est usage, annual kwh, kwh pa, kwh year, annual use, consumption, usage
profile: profile, prof, profile class
settlement: settlement, settl
export: export, exp
distributor: network operator, network op, mpid, distributor, dno
agreement: agreement, agrmt, agreed, contract
location: location, loc, locn
configuration: ssc, standard settlement configuration
time pattern: tpr, time pattern, time pattern regime
# Money
balance: saldo, balance, bal, amount owing, owing, outstanding, arrears, amt due, closing balance
amount: amount, amt, sum
payment: payment, pay, pays, paid, pmt, pymt, payt, pays by
direct debit: direct debit, dd, ddi
mandate: mandate, mndt
frequency: frequency, freq, frq, cycle, period length, interval
due: due
debt: debt
deposit: deposit, bond
discount: discount, disc
tax: tax, vat, gst
# Dates and times
date: date, dt, dte, on, dat
day: day, dom
month: month, mth, mnth
year: year, yr
time: time, tm
start: st dt, st date, sdate, start dt, start, from, since, begin, commence, commenced, commencement, effective, eff, effective from, valid from,
  start date, eff from, frm, strt dt, date from, beg
end: end dt, end date, edate, end, to, until, till, finish, thru, effective to, valid to, eff to, termination, expiry, ended
moved in: moved in, move in, movein, occupied from, occupied since, tenancy start, coo date, customer at supply
  address from
installed: installed, inst, install, fitted, fit
removed: removed, rem, removal, deinstalled
created: created, create, entered, logged, written, made
next: next, nxt
previous: lst, last, last, prev, previous, latest
reading date: reading date, read date, read on, rdg dt, read dt, date read, date of reading
# Consents and offers
opted: opted, opt, opt in, optin, opted into, ok, consent, agree, allow, permission, mkt, marketing, pref, gdpr
offers: offers, offer, recommended offers, promo, promotions
sms: sms, text message, txt
post: post, letter, letters, by post
# Notes and documents
note: note, notes, comment, comments, remark, remarks, memo, body, text, narrative
document: document, doc, file, attachment
description: description, desc, descr
`;

/** Names that mean something different on their own than as part of a longer name. */
export const WHOLE_NAMES: ReadonlyMap<string, string> = new Map([
  ["last", "family name"],
  ["first", "given name"],
  ["mail", "email"],
  ["partner", "customer"],
]);

/** Words that are too common in column names to be distinctive. */
export const COMMON_WORDS: ReadonlySet<string> = new Set(
  "id code type name date value flag method status class line external address".split(" "),
);

/** Words that add no meaning to a name. */
export const FILLER_WORDS: ReadonlySet<string> = new Set(
  "of the at in into and for by a an is has field col flag".split(" "),
);

/** Parties other than the customer. A field and a column do not match if only one of them names such a party. */
export const OTHER_PARTIES: readonly string[] = [
  ..."administrator landlord guarantor agent broker intermediary affiliate agency manager employer".split(" "),
  ..."partner spouse husband wife kin neighbour guardian carer executor trustee solicitor emergency".split(" "),
];

/** Written words in the names of columns whose values no longer apply. */
export const EARLIER_STATES: ReadonlySet<string> = new Set(["old", "previous", "prev", "prior", "former"]);

/** Matches a word that turns a yes into a no: `not`, `optout`, `unverified`, `withdrawn`. Not `unit`, `layout`. */
export const NEGATION: RegExp =
  /^(?:no[tn]?|never|.*(?<!lay|pay|ab)out|(?:un(?!its?$|i(?:que|on)$)|dis|exclu|refus|declin|withdr|stop|block|suppress).*)$/u;

/** Units smaller than the units of the fields: a hundredth of the currency, a thousandth of the metered unit. */
export const SMALL_UNITS: readonly string[] = ["pence", "pennies", "cents", "cent", "minor", "wh", "watthours"];

/** Pairs of words that never refer to the same field, even if the rest of the name is similar. */
export const OPPOSITES: readonly (readonly [string, string])[] = [
  ["start", "end"],
  ["given", "family"],
  ["installed", "removed"],
  ["billing", "supply"],
  ["mobile", "landline"],
  ["next", "previous"],
  ["birth", "start"],
  ["customer", "meter"],
  ["point", "serial"],
  ["id", "day"],
];

/** Pairs of words that can replace each other if nothing matches better, with their similarity (0 to 1). */
export const NEAR_WORDS: readonly (readonly [word: string, other: string, likeness: number])[] = [
  ["title", "salutation", 0.7],
  ["town", "locality", 1],
  ["state", "county", 0.8],
  ["street", "address", 0.7],
  ["line", "address", 0.9],
  ["house", "address", 0.4],
  ["building", "address", 0.5],
  ["phone", "mobile", 0.5],
  ["phone", "landline", 0.5],
  ["company", "business", 0.8],
  ["method", "type", 0.9],
  ["kind", "type", 0.9],
  ["code", "id", 0.6],
  ["balance", "amount", 0.5],
  ["start", "date", 0.6],
  ["agreement", "tariff", 0.4],
  ["moved", "start", 0.6],
  ["created", "start", 0.4],
  ["reading", "value", 0.5],
  ["reading", "readings", 1],
  ["fuel", "supply", 0.3],
  ["note", "notes", 1],
];

/**
 * Parts of an address. A column for such a part may fill the first line if the column name has no number. The most
 * likely parts come first.
 */
export const FIRST_ADDRESS_PARTS: readonly string[] = ["street", "address"];
/**
 * Parts of an address. A column for such a part may fill a later line if the column name has no number. The most likely
 * parts come first. For example, `billing_address2` takes the town if there is no second street column.
 */
export const LATER_ADDRESS_PARTS: readonly string[] = ["street", "town", "county", "state"];
