// The payloads of the mappings in fixtures/operators, written by hand. A helper of plain-validate.mjs, not a benchmark.

/** Empty cells are omitted. */
function withoutBlanks(members) {
  for (const name of Object.keys(members)) if (members[name] === "") delete members[name];
  return members;
}

/** dd/MM/yyyy. */
function isoDate(text) {
  return text === "" ? "" : `${text.slice(6)}-${text.slice(3, 5)}-${text.slice(0, 2)}`;
}

export function gbPayload(row, customers, points, supplier) {
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

export function auPayload(row, customers, points, supplier) {
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
