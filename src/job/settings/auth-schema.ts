import { z } from "zod";
import { AUTH_SCHEMES, type AuthSettings } from "./platform-settings.ts";

const text = z.string().optional();

/** `auth` of a target, in the configuration file and as stored with a run. */
export const authSchema: z.ZodObject<{ [Name in keyof AuthSettings]-?: z.ZodOptional<z.ZodType<AuthSettings[Name]>> }> =
  z.strictObject({
    scheme: z.enum(AUTH_SCHEMES).optional(),
    apiKeyFile: text,
    tokenFile: text,
    graphqlPath: text,
    mutation: text,
    inputField: text,
    refreshField: text,
    outputFields: z.array(z.string()).min(1).optional(),
    outputPath: text,
    document: text,
    refreshDocument: text,
  });
