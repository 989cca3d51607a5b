import { crc32 } from "node:zlib";
import { z } from "zod";
import { parseJson } from "../../json/parse-json.ts";
import { HASH_BYTES } from "../records/record-hashes.ts";
import type { JournaledRequest } from "./recovery.ts";

/** An entry of a journal. The first entry names the ledger. */
export type JournalEntry =
  | { readonly kind: "ledger"; readonly name: string; readonly id: string }
  /** A run is about to send requests. `requests`: number of requests in the ledger at that time. */
  | { readonly kind: "begin"; readonly run: string; readonly at: string; readonly requests: number }
  /** Requests that are about to be sent. */
  | { readonly kind: "requests"; readonly requests: readonly JournaledRequest[] }
  /** The number of requests, if nothing else is known about them. */
  | { readonly kind: "count"; readonly count: number }
  /** A ledger that contains the recovery with this id accounts for all earlier entries. */
  | { readonly kind: "recovery"; readonly recovery: string; readonly at: string; readonly requests: number }
  | ({ readonly kind: "end"; readonly at: string } & ExpectedLedger);

/**
 * The minimum contents of the newest copy of the ledger: the run or the recovery, and at least this number of requests.
 */
export interface ExpectedLedger {
  readonly run?: string | undefined;
  readonly recovery?: string | undefined;
  readonly requests: number;
}

/**
 * Returns the entries to append to a journal once the ledger accounts for all its requests. The entries name the
 * ledger's recovery and its number of requests.
 */
export function recoveryNote(note: {
  readonly recovery: string;
  readonly at: string;
  readonly requests: number;
}): readonly JournalEntry[] {
  return [
    { kind: "recovery", ...note },
    { kind: "end", ...note },
  ];
}

/**
 * The beginning of a journal in format version 1. Frames follow, each with one entry. Only the requests of a `requests`
 * entry may be divided among several frames. A frame has a header of 12 bytes (type, three zero bytes, payload length,
 * CRC-32 of these 8 bytes), the payload, and the CRC-32 of the payload. Numbers are little-endian. The header has its
 * own checksum, so that a corrupt length does not look like a frame that is cut off at the end of the file.
 */
export const MAGIC: Buffer = Buffer.from("MIGJRNL1");
const HEADER_BYTES = 12;
const CHECKSUM_BYTES = 4;
/** Maximum size of a payload. A frame with a longer payload is corrupt. */
export const MAX_PAYLOAD_BYTES: number = 1024 * 1024;

const TYPES = { ledger: 1, begin: 2, requests: 3, count: 4, recovery: 5, end: 6 } as const;

/** The payload of an `end` entry has a fixed size, so that the entry can be located from the end of the file. */
const END_PAYLOAD_BYTES = 256;
export const END_FRAME_BYTES: number = HEADER_BYTES + END_PAYLOAD_BYTES + CHECKSUM_BYTES;

/**
 * Offsets within a stored request, which consists of an identity, a content hash, an attempt number and a row mark. The
 * highest bit of the attempt number marks an idempotent request, the next bit a poll.
 */
const ATTEMPT_AT = 2 * HASH_BYTES;
const ROW_MARK_AT = ATTEMPT_AT + 4;
const REQUEST_BYTES = ROW_MARK_AT + 8;
const NO_ROW = -1;
const IDEMPOTENT = 0x8000_0000;
const POLL = 0x4000_0000;
const REQUESTS_PER_FRAME = 1000;

export function framesOf(entry: JournalEntry): Buffer {
  if (entry.kind !== "requests") return frame(entry.kind, payloadOf(entry));
  const frames: Buffer[] = [];
  for (let from = 0; from < entry.requests.length; from += REQUESTS_PER_FRAME) {
    frames.push(frame("requests", packRequests(entry.requests.slice(from, from + REQUESTS_PER_FRAME))));
  }
  return Buffer.concat(frames);
}

/** Returns the size of the frames of a `requests` entry. */
export function requestFrameBytes(count: number): number {
  return Math.ceil(count / REQUESTS_PER_FRAME) * (HEADER_BYTES + CHECKSUM_BYTES) + count * REQUEST_BYTES;
}

function frame(kind: JournalEntry["kind"], payload: Buffer): Buffer {
  const bytes = Buffer.alloc(HEADER_BYTES + payload.length + CHECKSUM_BYTES);
  bytes.writeUInt8(TYPES[kind], 0);
  bytes.writeUInt32LE(payload.length, 4);
  bytes.writeUInt32LE(crc32(bytes.subarray(0, 8)), 8);
  payload.copy(bytes, HEADER_BYTES);
  bytes.writeUInt32LE(crc32(payload), HEADER_BYTES + payload.length);
  return bytes;
}

function payloadOf({ kind, ...values }: Exclude<JournalEntry, { readonly kind: "requests" }>): Buffer {
  const json = Buffer.from(JSON.stringify(values));
  if (kind !== "end") return json;
  if (json.length > END_PAYLOAD_BYTES) throw new Error("The last entry of a journal is too long.");
  return Buffer.concat([json, Buffer.alloc(END_PAYLOAD_BYTES - json.length, " ")]);
}

function packRequests(requests: readonly JournaledRequest[]): Buffer {
  const bytes = Buffer.alloc(requests.length * REQUEST_BYTES);
  for (const [index, request] of requests.entries()) {
    const { identity, content, attempt, idempotent = false, isPoll = false, rowMark = NO_ROW } = request;
    const at = index * REQUEST_BYTES;
    bytes.set(identity, at);
    bytes.set(content, at + HASH_BYTES);
    bytes.writeUInt32LE(attempt + (idempotent ? IDEMPOTENT : 0) + (isPoll ? POLL : 0), at + ATTEMPT_AT);
    bytes.writeDoubleLE(rowMark, at + ROW_MARK_AT);
  }
  return bytes;
}

function unpackRequests(bytes: Buffer): readonly JournaledRequest[] | undefined {
  if (bytes.length % REQUEST_BYTES !== 0) return undefined;
  return Array.from({ length: bytes.length / REQUEST_BYTES }, (_, index) => {
    const at = index * REQUEST_BYTES;
    const attempt = bytes.readUInt32LE(at + ATTEMPT_AT);
    const rowMark = bytes.readDoubleLE(at + ROW_MARK_AT);
    return {
      // Copies the bytes, because a view would keep the whole buffer in memory.
      identity: Uint8Array.from(bytes.subarray(at, at + HASH_BYTES)),
      content: Uint8Array.from(bytes.subarray(at + HASH_BYTES, at + 2 * HASH_BYTES)),
      attempt: attempt % POLL,
      idempotent: attempt >= IDEMPOTENT,
      ...(attempt % IDEMPOTENT >= POLL && { isPoll: true }),
      ...(rowMark !== NO_ROW && { rowMark }),
    };
  });
}

const count = z.number().int().nonnegative();
const text = z.string();
const entrySchema = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("ledger"), name: text, id: text }),
  z.object({ kind: z.literal("begin"), run: text, at: text, requests: count }),
  z.object({ kind: z.literal("count"), count }),
  z.object({ kind: z.literal("recovery"), recovery: text, at: text, requests: count }),
  z.object({ kind: z.literal("end"), at: text, run: text.optional(), recovery: text.optional(), requests: count }),
]);

export type ParsedFrame =
  | { readonly state: "entry"; readonly entry: JournalEntry; readonly bytes: number }
  /** The bytes end before the frame is complete. */
  | { readonly state: "incomplete" }
  | { readonly state: "corrupt" };

/** Parses the frame at the beginning of these bytes. */
export function parseFrame(bytes: Buffer): ParsedFrame {
  if (bytes.length < HEADER_BYTES) return { state: "incomplete" };
  const length = bytes.readUInt32LE(4);
  if (crc32(bytes.subarray(0, 8)) !== bytes.readUInt32LE(8) || length > MAX_PAYLOAD_BYTES) return { state: "corrupt" };
  const end = HEADER_BYTES + length;
  if (bytes.length < end + CHECKSUM_BYTES) return { state: "incomplete" };
  const payload = bytes.subarray(HEADER_BYTES, end);
  if (crc32(payload) !== bytes.readUInt32LE(end)) return { state: "corrupt" };
  const entry = entryOf(bytes.readUInt8(0), payload);
  return entry === undefined ? { state: "corrupt" } : { state: "entry", entry, bytes: end + CHECKSUM_BYTES };
}

function entryOf(type: number, payload: Buffer): JournalEntry | undefined {
  if (type === TYPES.requests) {
    const requests = unpackRequests(payload);
    return requests && { kind: "requests", requests };
  }
  const kind = Object.entries(TYPES).find(([, number]) => number === type)?.[0];
  return entrySchema.safeParse(Object.assign({}, parseJson(payload.toString()), { kind })).data;
}

/**
 * Whether the bytes end with zeros. After a power failure, a file may have its new length but contain zeros instead of
 * the last bytes written.
 */
export function endsInZeros(bytes: Buffer): boolean {
  return bytes.length >= CHECKSUM_BYTES && bytes.subarray(-Math.min(bytes.length, 16)).every((byte) => byte === 0);
}
