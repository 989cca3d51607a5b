// Hand-written code that builds the same payloads as the mappings in fixtures/operators. A helper for
// plain-validate.mjs and plain-workflow.mjs, not a benchmark.
import { createReadStream } from "node:fs";
import path from "node:path";
import { parse } from "csv-parse";

const OPERATORS = {
  gb: { supplyPoints: "meter_points", payloadOf: gbPayload },
  au: { supplyPoints: "unmetered", payloadOf: auPayload },
};

/** Joins the three files of the folder with Maps, and yields one payload per account. */
export async function* plainPayloads(operator, folder, supplier) {
  const rowsOf = (name) => createReadStream(path.join(folder, `${name}.csv`)).pipe(parse({ columns: true }));
  const { supplyPoints, payloadOf } = OPERATORS[operator];
  const customers = await byAccount(rowsOf("customers"));
  const points = await byAccount(rowsOf(supplyPoints));
  for await (const row of rowsOf("accounts")) {
    const people = (customers.get(row.ACCOUNT) ?? []).toSorted((one, other) => one.SEQ - other.SEQ);
    yield payloadOf(row, people, points.get(row.ACCOUNT) ?? [], supplier);
  }
}

async function byAccount(rows) {
  const groups = new Map();
  for await (const row of rows) {
    const group = groups.get(row.ACCOUNT);
    if (group === undefined) groups.set(row.ACCOUNT, [row]);
    else group.push(row);
  }
  return groups;
}

function withoutBlanks(members) {
  for (const name of Object.keys(members)) if (members[name] === "") delete members[name];
  return members;
}

/** Converts a date from dd/MM/yyyy to yyyy-MM-dd. */
function isoDate(text) {
  return text === "" ? "" : `${text.slice(6)}-${text.slice(3, 5)}-${text.slice(0, 2)}`;
}

function gbPayload(row, customers, points, supplier) {
  return withoutBlanks({
    external_account_number: row.ACCOUNT,
    import_supplier: supplier,
    account_type: "DOMESTIC",
    billing_name: row.NAME,
    billing_address1: row.LINE1,
    billing_address2: row.TOWN,
    billing_postcode: row.POSTCODE,
    customers: customers.map((customer) =>
      withoutBlanks({
        salutation: customer.TITLE,
        given_name: customer.FIRST,
        family_name: customer.LAST,
        date_of_birth: isoDate(customer.BORN),
        mobile: customer.MOBILE,
        account_roles: ["ADMIN"],
      }),
    ),
    supply_addresses: [
      withoutBlanks({
        supply_address1: row.LINE1,
        supply_address2: row.TOWN,
        supply_postcode: row.POSTCODE,
        customer_at_supply_address_from_date: isoDate(row.SINCE),
        meter_points: points.map(gbPoint),
      }),
    ],
  });
}

function gbPoint(point) {
  const billedTo = isoDate(point.BILLED_TO);
  return withoutBlanks({
    supply_type: "ELECTRICITY",
    identifier: point.MPAN,
    mpid: point.SUPPLIER_ID,
    supply_start_date: isoDate(point.START),
    last_billed_to_date: billedTo,
    agreements: [withoutBlanks({ tariff_code: point.TARIFF, effective_from: isoDate(point.AGREED) })],
    eac_history: [withoutBlanks({ tpr: point.TPR, effective_from: billedTo, consumption: point.EAC })],
    meters: [
      withoutBlanks({
        meter_serial_number: point.METER,
        registers: [withoutBlanks({ register_id: point.REGISTER, tpr: point.TPR, number_of_digits: 5 })],
        transfer_readings: [
          withoutBlanks({
            register_id: point.REGISTER,
            reading_date: billedTo,
            reading_value: point.READING,
            reading_type: "ROUTINE",
          }),
        ],
      }),
    ],
  });
}

function auPayload(row, customers, points, supplier) {
  const place = withoutBlanks({
    country: "AU",
    administrative_area: row.STATE,
    locality: row.SUBURB,
    postal_code: row.POSTCODE,
  });
  return withoutBlanks({
    external_account_number: row.ACCOUNT,
    import_supplier: supplier,
    account_type: "DOMESTIC",
    billing_name: row.NAME,
    billing_address: withoutBlanks({ ...place, street_address: row.STREET_LINE }),
    customers: customers.map((customer) =>
      withoutBlanks({
        given_name: customer.FIRST,
        family_name: customer.LAST,
        date_of_birth: customer.BORN,
        mobile: customer.MOBILE,
        landline: customer.LANDLINE,
        account_roles: ["ADMIN"],
      }),
    ),
    supply_addresses: [
      withoutBlanks({
        supply_address: {
          ...place,
          structured_street_address: withoutBlanks({
            house_number_1: row.HOUSE,
            street_name: row.STREET,
            street_type: row.STREET_TYPE,
          }),
        },
        customer_at_supply_address_from_date: row.SINCE,
        meter_points: points.map(auPoint),
      }),
    ],
  });
}

function auPoint(point) {
  return withoutBlanks({
    supply_type: "UNMETERED_ELECTRICITY",
    mpxn: "UNMETERED_ELECTRICITY_AIR_CONDITIONING",
    parent_nmi: point.PARENT_NMI,
    appliance_type: point.APPLIANCE,
    multiplier: point.FACTOR,
    supply_start_date: point.START,
    agreements: [withoutBlanks({ tariff_code: point.TARIFF, effective_from: point.START })],
  });
}
