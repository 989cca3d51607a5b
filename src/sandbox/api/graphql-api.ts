import {
  buildSchema,
  type DocumentNode,
  execute,
  type ExecutionResult,
  GraphQLError,
  Kind,
  parse,
  validate,
  visit,
} from "graphql";
import { isJsonObject, type JsonObject } from "../../json/json-value.ts";
import { jsonCopy } from "../../json/parse-json.ts";
import type { PlatformParts } from "../platform-parts.ts";
import { type Handler, jsonBody, type LoginAttempt, type PlatformRequest } from "../sandbox-reply.ts";
import type { IssuedToken } from "./authentication.ts";

/**
 * The schema of API specification 5.2, with the input and output fields of the GraphQL schemas that operators publish.
 */
const SCHEMA = buildSchema(`
  "Any JSON value."
  scalar GenericScalar

  type Query {
    "The version in the base URL."
    apiVersion: String!
  }

  type Mutation {
    "Obtains a token for REST and GraphQL."
    ObtainServiceToken(input: ObtainJSONWebTokenInput!): ObtainKrakenJSONWebToken
    "The same mutation, under the name that other instances use."
    obtainKrakenToken(input: ObtainJSONWebTokenInput!): ObtainKrakenJSONWebToken
  }

  "Exactly one of the fields."
  input ObtainJSONWebTokenInput {
    "The organisation's API key."
    APIKey: String
    "The secret key of a third-party organisation; the sandbox accepts its own API key here."
    organizationSecretKey: String
    "A refresh token obtained with an earlier token."
    refreshToken: String
  }

  type ObtainKrakenJSONWebToken {
    token: String!
    "The token's claims; exp in seconds since 1970."
    payload: GenericScalar!
    refreshToken: String
    "Seconds since 1970, not a duration."
    refreshExpiresIn: Int
  }
`);

/** The login attempt of a request, for the history. */
interface GraphqlContext {
  login?: LoginAttempt;
}

/** Handles the GraphQL endpoint. As is usual in GraphQL, errors in a query have HTTP status 200. */
export function graphqlHandler(apiKey: string, platform: PlatformParts): Handler {
  const isWithinLimit = createLoginLimit(platform);
  const obtain = ({ input }: { readonly input: TokenInput }, context: GraphqlContext): IssuedToken => {
    const login = { with: Object.keys(input).join(", ") };
    try {
      if (!isWithinLimit()) throw loginError("KT-CT-1199", "Too many requests.");
      const token = obtainToken(input, apiKey, platform);
      context.login = login;
      return token;
    } catch (error) {
      if (error instanceof GraphQLError) context.login = { ...login, refusal: String(error.extensions["errorCode"]) };
      throw error;
    }
  };
  const rootValue = { apiVersion: "v1", ObtainServiceToken: obtain, obtainKrakenToken: obtain };
  return async (request) => {
    const question = readGraphqlRequest(request);
    if (question === undefined) return { status: 400, body: { errors: [{ message: "Must provide query string." }] } };
    const contextValue: GraphqlContext = {};
    const result = await answer(question, { rootValue, contextValue });
    return { status: 200, body: jsonCopy(result), ...contextValue };
  };
}

/**
 * Limits on a query. They are needed because queries require no credentials. The introspection query of graphql-js,
 * which GraphiQL sends, has 10 levels, about 70 fields and fewer than 200 tokens.
 */
const MAX_TOKENS = 1000;
const MAX_DEPTH = 20;
const MAX_FIELDS = 200;

async function answer(
  { source, ...question }: GraphqlRequest,
  context: { readonly rootValue: object; readonly contextValue: GraphqlContext },
): Promise<ExecutionResult> {
  try {
    const document = parse(source, { maxTokens: MAX_TOKENS });
    requireSmall(document);
    const errors = validate(SCHEMA, document);
    return errors.length > 0 ? { errors } : await execute({ schema: SCHEMA, document, ...context, ...question });
  } catch (error) {
    if (error instanceof GraphQLError) return { errors: [error] };
    throw error;
  }
}

/** @throws GraphQLError for a query with too many levels or too many fields; aliases count as fields */
function requireSmall(document: DocumentNode): void {
  let depth = 0;
  let fields = 0;
  visit(document, {
    enter(node) {
      if (node.kind === Kind.SELECTION_SET) depth += 1;
      if (node.kind === Kind.FIELD) fields += 1;
      if (depth > MAX_DEPTH) throw new GraphQLError(`The query has more than ${MAX_DEPTH} levels.`);
      if (fields > MAX_FIELDS) throw new GraphQLError(`The query has more than ${MAX_FIELDS} fields.`);
    },
    leave(node) {
      if (node.kind === Kind.SELECTION_SET) depth -= 1;
    },
  });
}

interface TokenInput {
  readonly APIKey?: string;
  readonly organizationSecretKey?: string;
  readonly refreshToken?: string;
}

function obtainToken(input: TokenInput, apiKey: string, { tokens, faults }: PlatformParts): IssuedToken {
  if (Object.keys(input).length !== 1) throw loginError("KT-CT-1128", "Exactly one of the input fields is expected.");
  if (input.refreshToken !== undefined) {
    const finding = tokens.checkRefresh(input.refreshToken);
    if (finding === "expired") throw loginError("KT-CT-1134", "Refresh token expired.");
    if (finding === "wrong") throw loginError("KT-CT-1135", "Invalid refresh token.");
  } else if (input.organizationSecretKey !== undefined) {
    if (input.organizationSecretKey !== apiKey) throw loginError("KT-CT-1140", "Invalid organization secret key.");
  } else if (input.APIKey !== apiKey) {
    throw loginError("KT-CT-1139", "Authentication failed.");
  }
  const { tokenLifetimeSeconds = 3600, refreshLifetimeSeconds = 7 * 86_400 } = faults.options();
  return tokens.issue({ seconds: tokenLifetimeSeconds, refreshSeconds: refreshLifetimeSeconds });
}

function loginError(errorCode: string, message: string): GraphQLError {
  return new GraphQLError(message, {
    extensions: { errorCode, errorType: "AUTHORIZATION", errorClass: "AUTHORIZATION" },
  });
}

interface GraphqlRequest {
  readonly source: string;
  readonly variableValues: JsonObject;
  readonly operationName?: string;
}

function readGraphqlRequest(request: PlatformRequest): GraphqlRequest | undefined {
  const value = jsonBody(request);
  if (!isJsonObject(value) || typeof value["query"] !== "string") return undefined;
  const { query, variables, operationName } = value;
  return {
    source: query,
    variableValues: isJsonObject(variables) ? variables : {},
    ...(typeof operationName === "string" ? { operationName } : {}),
  };
}

const LOGIN_WINDOW_MS = 60_000;

/** Returns a function that counts a login, and returns false if the login exceeds the per-minute limit. */
function createLoginLimit({ faults, clock }: PlatformParts): () => boolean {
  let logins: readonly number[] = [];
  return () => {
    const { maxLogins: limit } = faults.options();
    const now = clock.monotonic();
    logins = limit === undefined ? [] : [...logins.filter((at) => at > now - LOGIN_WINDOW_MS), now];
    return limit === undefined || logins.length <= limit;
  };
}
