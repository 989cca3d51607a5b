import { type Product, PRODUCT_FIELDS } from "../platform/products.ts";
import type { RecordView } from "../report/record-formats.ts";
import { shownTime } from "./shown-time.ts";

/** Products: code, name, days in London on which they came and went, and what they are. */
export const productView: RecordView<Product> = {
  columns: [{ title: "code" }, { title: "name" }, { title: "from" }, { title: "until" }, { title: "what" }],
  cells: (product) => [
    product.code,
    product.display_name ?? product.full_name ?? "",
    dayOf(product.available_from),
    dayOf(product.available_to),
    traits(product).join(", "),
  ],
  members: PRODUCT_FIELDS,
};

function traits(product: Product): readonly string[] {
  const { direction, term } = product;
  return [
    ...(direction === "IMPORT" || !direction ? [] : [direction]),
    ...(typeof term === "number" ? [`${term} months`] : []),
    ...(["green", "variable", "tracker", "prepay", "business", "restricted"] as const).filter(
      (trait) => product[`is_${trait}`] === true,
    ),
  ];
}

function dayOf(time: string | null | undefined): string {
  return shownTime(time, ({ day }) => day);
}
