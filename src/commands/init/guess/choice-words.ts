/**
 * Codes of legacy systems, grouped by meaning. The first entry is the word in the contract's choice. All upper case.
 */
export const CHOICE_WORDS: readonly (readonly [choice: string, ...codes: readonly string[]])[] = [
  ["DOMESTIC", "RESIDENTIAL", "RESI", "RES", "HOUSEHOLD", "HH", "PRIVATE", "DOM", "R"],
  ["BUSINESS", "COMMERCIAL", "COMM", "COM", "SME", "NONDOM", "NON DOMESTIC", "CORP", "BUS", "I&C", "ND", "C"],
  ["ELECTRICITY", "ELEC", "ELE", "EL", "POWER", "PWR", "LECCY"],
  ["GAS", "GS", "NG"],
  ["PREPAYMENT", "PREPAY", "PPM", "PP", "KEY", "TOKEN", "PAYG"],
  ["CREDIT", "CR", "CRED", "STD", "STANDARD", "CONV"],
  ["SMART", "SMT", "SMETS", "SMETS1", "SMETS2", "AMI"],
  ["DIRECT_DEBIT", "DD", "DDM", "DDI", "VDD", "FDD", "MDD", "DIRECT DEBIT"],
  ["ON_DEMAND", "CASH", "CHEQUE", "CHQ", "CASHCHEQUE", "BILL", "QCC"],
  ["MONTHLY", "MTH", "MON", "MNTH", "12"],
  ["QUARTERLY", "QTR", "QTLY", "QUART"],
  ["ACTUAL", "ACT", "AR", "READ"],
  ["CUSTOMER", "CUST", "OWN", "CR", "SELF"],
  ["ESTIMATED", "ESTIMATE", "EST", "ER"],
  ["ESTIMATE", "ESTIMATED", "EST"],
  ["ROUTINE", "ACTUAL", "ACT", "NORMAL", "SCHED"],
  ["YES", "Y", "TRUE", "1"],
  ["NO", "N", "FALSE", "0"],
];

/** Cell values that mean yes and no in legacy systems. */
export const YES_WORDS: readonly string[] = ["y", "yes", "true", "t", "1", "x", "j", "on"];
export const NO_WORDS: readonly string[] = ["n", "no", "false", "f", "0", "-", "off"];
