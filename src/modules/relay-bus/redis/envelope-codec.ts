import type { KeyObject } from 'node:crypto';
import { computeMac, verifyMac } from '../../../common/mac';
import { ENVELOPE_VERSION, type EnvelopeHead, type EnvelopeStamp } from './envelope';
import type { RedisClock } from './redis-clock';

/** Maximum age of envelopes whose type has no time limit of its own. */
const MAX_ENVELOPE_AGE_MS = 10_000;
/** A request has the epoch of its presence entry in front. The MAC authenticates all that follows it, and the body. */
const SIGNED_ENVELOPE = /^\{(?:"epoch":(\d{1,15}),)?"mac":"([\w-]{43})",/;

/** The release that writes unsigned envelopes doesn't know these types. */
const SIGNED_TYPES: readonly EnvelopeHead['type'][] = ['watch', 'live'];

export type RejectionReason = 'malformed' | 'unsigned' | 'forged' | 'misdirected' | 'stale';

export type DecodeResult =
  | { kind: 'envelope'; head: EnvelopeHead & EnvelopeStamp; body: string }
  | { kind: 'rejected'; reason: Exclude<RejectionReason, 'unsigned'> }
  /** Written by the previous release, or by an attacker. */
  | { kind: 'rejected'; reason: 'unsigned'; head: EnvelopeHead & EnvelopeStamp };

/** Keys and policy by which instances authenticate envelopes. */
export interface BusTrust {
  /** The first key signs. All keys verify. */
  keys: readonly [KeyObject, ...KeyObject[]];
  /**
   * Whether to accept unsigned envelopes, as the previous release writes them. Only for the deploy that replaces it.
   */
  unsigned: 'accept' | 'refuse';
}

/**
 * Encodes and decodes envelopes: a JSON head in the first line, then the body. An HMAC-SHA-256 authenticates both, with
 * sender, receiver and time, so that access to Redis is not enough to forge messages (docs/decisions/0029).
 */
export class EnvelopeCodec {
  constructor(
    readonly instanceId: string,
    private readonly trust: BusTrust,
    private readonly clock: RedisClock,
  ) {}

  get requiresSignature(): boolean {
    return this.trust.unsigned === 'refuse';
  }

  /** @param receiverId the receiving instance; null if a script in Redis picks the receivers */
  encode(envelopeHead: EnvelopeHead, receiverId: string | null, body = ''): string {
    const envelopeStamp: EnvelopeStamp = {
      version: ENVELOPE_VERSION,
      from: this.instanceId,
      ...(receiverId !== null && { to: receiverId }),
      sentAt: this.clock.now(),
      ...(this.clock.isSynchronized && { sentAtErrorMs: this.clock.errorMs }),
    };
    const signed = `${JSON.stringify({ ...envelopeStamp, ...envelopeHead }).slice(1)}\n${body}`;
    return `{"mac":"${computeMac(this.trust.keys[0], signed)}",${signed}`;
  }

  /** Encodes without a MAC, for receivers of the previous release. Use only for messages that nothing must rely on. */
  static encodeUnsigned(envelopeHead: EnvelopeHead): string {
    return `${JSON.stringify({ version: ENVELOPE_VERSION, ...envelopeHead })}\n`;
  }

  /** Verifies the MAC before it parses the head. Never parses the body. */
  decode(message: string): DecodeResult {
    const match = SIGNED_ENVELOPE.exec(message);
    if (!match) return this.decodeUnsigned(message);
    const signed = message.slice(match[0].length);
    if (!verifyMac(this.trust.keys, signed, match[2]!)) return { kind: 'rejected', reason: 'forged' };
    const envelope = parseEnvelope(`{${signed}`)!;
    const { head } = envelope;
    if (head.to !== undefined && head.to !== this.instanceId) return { kind: 'rejected', reason: 'misdirected' };
    if (this.isStale(head)) return { kind: 'rejected', reason: 'stale' };
    if (match[1] !== undefined) Object.assign(head, { epoch: Number(match[1]) });
    return { kind: 'envelope', ...envelope };
  }

  private decodeUnsigned(message: string): DecodeResult {
    const envelope = parseEnvelope(message);
    if (!envelope) return { kind: 'rejected', reason: 'malformed' };
    const isKnownUnsigned = !SIGNED_TYPES.includes(envelope.head.type) && !('mac' in envelope.head);
    if (!this.requiresSignature && isKnownUnsigned) return { kind: 'envelope', ...envelope };
    return { kind: 'rejected', reason: 'unsigned', head: envelope.head };
  }

  /**
   * Whether an envelope is too old. Some types need no age limit: requests have `acceptBy`, answers belong to one
   * attempt of one call, and epochs order the connections of a device.
   */
  private isStale({ type, sentAt = 0 }: EnvelopeHead & EnvelopeStamp): boolean {
    if (type === 'request' || type === 'answer' || type === 'superseded') return false;
    return this.clock.isSynchronized && Math.abs(this.clock.now() - sentAt) > MAX_ENVELOPE_AGE_MS;
  }
}

function parseEnvelope(message: string): { head: EnvelopeHead & EnvelopeStamp; body: string } | null {
  const end = message.indexOf('\n');
  try {
    const head = JSON.parse(message.slice(0, end)) as (EnvelopeHead & EnvelopeStamp) | null;
    return typeof head?.type === 'string' ? { head, body: message.slice(end + 1) } : null;
  } catch {
    return null;
  }
}
