/** Beside the files that they are for, which name them in their first line. */
export const MAPPING_SCHEMA_FILE = "mapping.schema.json";
export const CONFIG_SCHEMA_FILE = "migrate.schema.json";

/** The line by which editors find the schema of a file. */
export function schemaLine(file: string): string {
  return `yaml-language-server: $schema=${file}`;
}
