import type { JsonObject } from "../model/json.ts";

/** An account that is there from the start, in the form that instances publish (PLATFORM 9). */
export const SAMPLE_ACCOUNT: JsonObject & { readonly number: string } = {
  number: "A-5A3D1C0B",
  properties: [
    {
      id: 4_001_001,
      moved_in_at: "2023-11-01T00:00:00Z",
      moved_out_at: null,
      address_line_1: "1 Example Street",
      address_line_2: "",
      address_line_3: "",
      town: "Exampleton",
      county: "",
      postcode: "SW1A 1AA",
      electricity_meter_points: [
        {
          mpan: "1200023305967",
          profile_class: 1,
          consumption_standard: 2700,
          meters: [
            {
              serial_number: "Z18N123456",
              registers: [{ identifier: "1", rate: "STANDARD", is_settlement_register: true }],
            },
          ],
          agreements: [
            {
              tariff_code: "E-1R-VAR-24-01-01-C",
              valid_from: "2024-01-01T00:00:00Z",
              valid_to: "2024-11-01T00:00:00Z",
            },
            { tariff_code: "E-1R-HALFHOURLY-24-10-01-C", valid_from: "2024-11-01T00:00:00Z", valid_to: null },
          ],
          is_export: false,
        },
      ],
      gas_meter_points: [
        {
          mprn: "3226987202",
          consumption_standard: 11_500,
          meters: [{ serial_number: "G4A00998877" }],
          agreements: [{ tariff_code: "G-1R-VAR-24-01-01-C", valid_from: "2024-01-01T00:00:00Z", valid_to: null }],
        },
      ],
    },
  ],
};
