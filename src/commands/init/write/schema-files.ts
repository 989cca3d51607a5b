/** The schema files are next to the files that they describe, which name them in their first line. */
export const MAPPING_SCHEMA_FILE = "mapping.schema.json";
export const CONFIG_SCHEMA_FILE = "migrate.schema.json";

/** Returns the line that tells editors which schema a file has. */
export function schemaLine(file: string): string {
  return `yaml-language-server: $schema=${file}`;
}
