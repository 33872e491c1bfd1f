import {
  MAX_LIVE_OUTPUT_BYTES,
  OUTPUT_STREAMS,
  readJweHeader,
  type DeltaMessage,
  type OutputMessage,
  type ProgressKind,
} from '@external-api/protocol';
import { isWellFormedId } from '../../../common/ids';
import type { LiveTopic } from '../../relay-bus';

/** Events of socket.io in the namespace `/`, without an acknowledgement. */
const LIVE_PACKET = /^2\["(delta|output)",/;

/** 4 KiB of text, encrypted, in base64url, with a header that names account, session tag and message. */
const MAX_DELTA_CONTENT_LENGTH = 8_192;
const MAX_OUTPUT_DATA_LENGTH = Math.ceil(MAX_LIVE_OUTPUT_BYTES / 3) * 4;
/** Room for the other members of a message. */
const MAX_MEMBERS_LENGTH = 2_048;
const MAX_PACKET_LENGTHS = {
  delta: MAX_DELTA_CONTENT_LENGTH + MAX_MEMBERS_LENGTH,
  output: MAX_OUTPUT_DATA_LENGTH + MAX_MEMBERS_LENGTH,
};

const LOCAL_ID = /^[\x21-\x7e]{1,128}$/;
/** Also kinds of later releases, which no stream of this one asks for. */
const DELTA_KIND = /^[a-z_]{1,32}$/;

/** Live output of a device, after validation. */
export interface ParsedLivePacket {
  topic: LiveTopic;
  message: DeltaMessage | OutputMessage;
  /** Decoded bytes of output, characters of a delta. */
  contentBytes: number;
}

/**
 * Returns the message of a socket.io packet, or null if it isn't one that a device may send
 * (docs/protocol/device-api.md#live-output). Members that it doesn't know are left out.
 */
export function parseLivePacket(packet: string): ParsedLivePacket | null {
  const type = LIVE_PACKET.exec(packet)?.[1] as 'delta' | 'output' | undefined;
  if (!type || packet.length > MAX_PACKET_LENGTHS[type]) return null;
  const message = parsePayload(packet);
  if (!message) return null;
  return type === 'delta' ? readDelta(message) : readOutput(message);
}

function parsePayload(packet: string): Record<string, unknown> | null {
  try {
    const [, payload, ...others] = JSON.parse(packet.slice(1)) as unknown[];
    const isObject = typeof payload === 'object' && payload !== null && !Array.isArray(payload);
    return isObject && others.length === 0 ? (payload as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}

function readDelta(message: Record<string, unknown>): ParsedLivePacket | null {
  const { sessionId, turnId, localId, kind = 'message', n, content } = message;
  if (typeof kind !== 'string' || !DELTA_KIND.test(kind)) return null;
  if (!isId('ses', sessionId) || !isId('turn', turnId) || !isCount(n)) return null;
  if (typeof localId !== 'string' || !LOCAL_ID.test(localId)) return null;
  if (typeof content !== 'string' || content.length > MAX_DELTA_CONTENT_LENGTH || !readJweHeader(content)) return null;
  const isMessage = kind === 'message';
  return {
    topic: { type: isMessage ? 'delta' : 'progress', id: sessionId },
    message: { sessionId, turnId, localId, ...(!isMessage && { kind: kind as ProgressKind }), n, content },
    contentBytes: content.length,
  };
}

function readOutput({ invocationId, stream, offset, data }: Record<string, unknown>): ParsedLivePacket | null {
  const streamName = OUTPUT_STREAMS.find((name) => name === stream);
  if (!isId('inv', invocationId) || !streamName || !isCount(offset)) return null;
  if (typeof data !== 'string' || data.length === 0) return null;
  const bytes = Buffer.from(data, 'base64');
  if (bytes.length > MAX_LIVE_OUTPUT_BYTES || bytes.toString('base64') !== data) return null;
  return {
    topic: { type: 'output', id: invocationId },
    message: { invocationId, stream: streamName, offset, data },
    contentBytes: bytes.length,
  };
}

const isId = (prefix: 'ses' | 'turn' | 'inv', value: unknown): value is string =>
  typeof value === 'string' && isWellFormedId(prefix, value);

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;
