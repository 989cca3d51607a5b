import type { FileValues, LibraryOptions, RecordedValues } from "./option-row.ts";

/** Options that select a platform, and the settings of all platforms. */
export const PLATFORMS = {
  suppliers: {
    flag: false,
    kind: "object",
    file: true,
    help: "import suppliers by code",
    docs: "import suppliers by code, see [Suppliers](#suppliers)",
  },
  target: {
    short: "t",
    arg: "<name>",
    env: true,
    file: true,
    help: "target from the configuration file",
    docs: "the default target",
  },
  targets: {
    flag: false,
    kind: "object",
    file: true,
    help: "platforms by name",
    docs: "platforms by name, see [Targets](#targets)",
  },
} as const;

/** Settings of an import supplier in the configuration file. */
export const SUPPLIER = {
  rootLocation: {
    kind: "text",
    file: true,
    docs: "the folder of the supplier's documents in the bucket. Document paths are relative to it and must not repeat it. Each path is checked against the root location of the supplier that its payload names, or of `--supplier` if the payload names no supplier",
  },
  bucket: { kind: "text", file: true, docs: "the storage bucket of the platform" },
  expectedStatus: {
    kind: "supplierStatus",
    file: true,
    docs: "`Ongoing`, `Paused` or `Complete`. With `Paused` or `Complete`, a push for the supplier is refused before anything is sent",
  },
} as const;

export type SuppliersConfig = Readonly<Record<string, FileValues<typeof SUPPLIER>>>;

/** A platform: `targets.<name>` in the configuration file. */
export const TARGET = {
  /** The base URL of the platform: `https://.../v1/`. */
  baseUrl: {
    arg: "<url>",
    env: true,
    file: "required",
    library: "required",
    recorded: "always",
    help: "base URL of the platform, ending in /v1/",
    docs: "required: https, ending in `/v1/`",
  },
  /** PEM file of a certificate authority to trust in addition to the defaults. */
  ca: {
    arg: "<pem>",
    kind: "path",
    env: true,
    file: true,
    library: true,
    recorded: true,
    help: "certificate authority to trust in addition to the Node.js defaults",
    docs: "PEM file of a certificate authority to trust in addition to the Node.js defaults",
  },
  /** The authentication scheme, and private files with the credentials. */
  auth: {
    arg: "<scheme>",
    kind: "authScheme",
    env: true,
    file: true,
    library: true,
    recorded: "always",
    sets: "scheme",
    help: "authentication scheme of the token: Token, JWT, Bearer or none; basic sends the API key instead",
    docs: "how to authenticate; see [Authentication](#authentication)",
    members: {
      /**
       * The authentication scheme. Default: `Token`. `none` sends the bare token. `basic` sends the API key as the user
       * name with an empty password (specification 5.4).
       */
      scheme: {
        kind: "authScheme",
        docs: "the word before the token in the `Authorization` header: `Token` (default), `JWT`, `Bearer`, or `none`; `basic` sends the API key as the user name with an empty password",
      },
      tokenFile: { kind: "path", docs: "file that contains a token" },
      apiKeyFile: { kind: "path", docs: "file that contains an API key" },
      /** Name of the GraphQL mutation that returns a token. */
      mutation: {
        kind: "text",
        docs: "the GraphQL mutation that exchanges an API key for a token; default `ObtainServiceToken`",
      },
      /** The mutation's input field for the API key. */
      inputField: { kind: "text", docs: "the mutation's input field for the API key; default `APIKey`" },
      /** The mutation's input field for a refresh token. */
      refreshField: {
        kind: "text",
        docs: "the mutation's input field for a refresh token; default `refreshToken`",
      },
      /** Fields that the mutation requests. Default: only the token. */
      outputFields: {
        kind: "keys",
        range: [1],
        docs: "the list of fields that the mutation requests; default: only the token",
      },
      /** Path of the token in the data of the reply, such as `a.b`. */
      outputPath: {
        kind: "text",
        docs: "the path of the token in the `data` of the reply, such as `a.b`; default: the `token` field of the mutation",
      },
      /** Complete GraphQL document that exchanges an API key for a token. */
      document: {
        kind: "text",
        docs: "a complete GraphQL document instead of the one built from the settings above; receives the key as `$apiKey`",
      },
      /** Complete GraphQL document that exchanges a refresh token for a token. */
      refreshDocument: {
        kind: "text",
        docs: "the corresponding document for a refresh token; receives the refresh token as `$refreshToken`. With a `document` but no `refreshDocument`, every token is obtained with the key",
      },
      graphqlPath: { kind: "text", docs: "the path of the GraphQL endpoint; default `/v1/graphql/`" },
    },
  },
  proxy: {
    arg: "<url>",
    env: true,
    file: true,
    library: true,
    recorded: true,
    help: "proxy for connections to the platform (HTTPS_PROXY is ignored)",
    docs: "the proxy, `http://host:port` or `https://host:port`; default: none",
  },
  /** Whether to allow a platform on this machine without TLS. */
  allowInsecureLoopback: {
    library: true,
    recorded: "always",
    help: "allow http:// to this machine, for tests",
  },
  timeouts: {
    flag: false,
    file: true,
    library: true,
    recorded: true,
    docs: "time limits for the parts of a request, see [Timeouts](#timeouts)",
    members: {
      connectSeconds: {
        kind: "timeout",
        docs: "TCP connection and TLS handshake, or the proxy tunnel; default 10",
      },
      headersSeconds: {
        kind: "timeout",
        docs: "from the last byte of the request to the headers of the reply; default 60",
      },
      bodySeconds: { kind: "timeout", docs: "between two chunks of the reply body; default 30" },
      wholeSeconds: {
        kind: "timeout",
        docs: "the whole request, including the wait for a connection; default 120",
      },
      /** Number of seconds during which the platform may still process an aborted request. */
      quietSeconds: {
        kind: "timeout",
        range: [0, 86_400],
        docs: 'time during which the platform may still process a request with an unknown outcome (0 to 86,400). Until it has passed, a "not found" reply is not trusted, and a record is not sent with changed content if a request with its earlier content got no clear reply. Default: twice `wholeSeconds`, but at least 240',
      },
    },
  },
  supplier: {
    flag: false,
    kind: "code",
    file: true,
    docs: "the import supplier for this target; overrides the top-level setting",
  },
  suppliers: {
    flag: false,
    kind: "object",
    file: true,
    docs: "settings of import suppliers on this platform, see [Suppliers](#suppliers)",
  },
  /** The kind of environment. Records are sent to `production` only with `allowProduction: true`. */
  environment: {
    flag: false,
    choices: ["test", "production"],
    file: true,
    library: "required",
    docs: "`production` or `test`. Before a push to `production`, you must type the host, unless you pass `--yes`. In `migrate web`, you must always type the code of the supplier, or the host if there is no supplier",
  },
} as const;

/** A platform. Contains no secrets, because it is recorded with the run. */
export interface TargetOptions extends LibraryOptions<typeof TARGET> {}

/** How to authenticate with a platform. The settings are stored with the run and contain no secrets. */
export type AuthSettings = RecordedValues<typeof TARGET>["auth"];

/** Time limits for the parts of a request. docs/configuration.md lists the defaults. */
export type TimeoutSettings = NonNullable<RecordedValues<typeof TARGET>["timeouts"]>;

/** Rate limits. The configuration file sets them per target. */
export const PACE = {
  concurrency: {
    arg: "<auto|n>",
    kind: "concurrency",
    env: true,
    library: true,
    recorded: "always",
    reimport: true,
    help: "maximum requests in flight (default: auto)",
  },
  /** Maximum number of requests in flight if `auto` selects the number. */
  maxConcurrency: {
    flag: false,
    kind: "number",
    range: [1, 1024],
    file: true,
    library: true,
    recorded: "always",
    docs: "maximum requests in flight with `--concurrency auto`; default 16",
  },
  rps: {
    arg: "<n>",
    kind: "rate",
    env: true,
    file: true,
    library: true,
    recorded: true,
    reimport: true,
    help: "maximum requests per second",
    docs: "maximum requests per second, from 0.001 to 100,000; default: the rate that the platform accepts",
  },
} as const;

/** The rate limits that a run records. */
export interface RecordedPace extends RecordedValues<typeof PACE> {}

/** The document store. `documents check` has flags for the location, the endpoint and the region. */
export const STORE = {
  store: {
    arg: "<place>",
    env: true,
    file: true,
    sets: "location",
    help: "folder, or s3://bucket (default: the supplier's bucket)",
    docs: "the document store, see [Store](#store)",
    members: {
      location: {
        flag: false,
        kind: "path",
        docs: "a folder, or `s3://bucket`; the supplier's root location is appended",
      },
      endpoint: {
        arg: "<url>",
        env: "AWS_ENDPOINT_URL_S3",
        help: "URL of an S3-compatible store (default: AWS)",
        docs: "URL of an S3-compatible store: only `https://`, a host and optionally a port; default: the AWS endpoint of the region",
      },
      region: {
        arg: "<name>",
        env: "AWS_REGION",
        help: "region of the store (default: us-east-1)",
        docs: "default `us-east-1`",
      },
      ca: {
        flag: false,
        kind: "path",
        docs: "PEM file of a certificate authority to trust in addition to the Node.js defaults",
      },
      credentialsFile: {
        flag: false,
        kind: "path",
        docs: "private file with an access key, in the format of `~/.aws/credentials`; read if neither `AWS_ACCESS_KEY_ID` nor `AWS_SECRET_ACCESS_KEY` is set. Without this setting, `migrate` uses the credentials of the AWS tools: [documents.md](documents.md#in-a-bucket)",
      },
    },
  },
} as const;
