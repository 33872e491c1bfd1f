import type { EventType } from './types.ts';

const DEFAULT_TOLERANCE_SECONDS = 300;

/** The payload of a webhook. `id` is the `webhook-id`: drop events that you have seen. */
export interface WebhookEvent<Data = Record<string, unknown>> {
  id: string;
  type: EventType | (string & {});
  /** Unix time of the event in milliseconds. */
  timestamp: number;
  data: Data;
}

export interface VerifyOptions {
  /**
   * How old or how far ahead `webhook-timestamp` may be by this machine's clock. Default: 300. A greater value helps a
   * machine whose clock is wrong; `Infinity` leaves replay protection to your check of `id`.
   */
  toleranceSeconds?: number | undefined;
}

export type WebhookHeaders = Headers | Record<string, string | readonly string[] | undefined>;

export type WebhookVerificationCode = 'missing_header' | 'invalid_secret' | 'invalid_signature' | 'outside_tolerance';

/** The request is not proven to come from the service. Answer it with 400. */
export class WebhookVerificationError extends Error {
  override name = 'WebhookVerificationError';
  readonly code: WebhookVerificationCode;

  constructor(code: WebhookVerificationCode, message: string) {
    super(message);
    this.code = code;
  }
}

/**
 * Verifies a webhook by Standard Webhooks 1.0.0 and returns its event.
 * @param rawBody the body exactly as received, not parsed and serialized again
 * @param secret `whsec_…`, or several during a rotation
 * @throws WebhookVerificationError
 */
export async function verify(
  rawBody: string | Uint8Array | ArrayBuffer,
  headers: WebhookHeaders,
  secret: string | readonly string[],
  options: VerifyOptions = {},
): Promise<WebhookEvent> {
  const id = readHeader(headers, 'webhook-id');
  const timestamp = readHeader(headers, 'webhook-timestamp');
  const signatures = readHeader(headers, 'webhook-signature').split(' ');
  const body = typeof rawBody === 'string' ? new TextEncoder().encode(rawBody) : new Uint8Array(rawBody);
  const signed = concatenate(new TextEncoder().encode(`${id}.${timestamp}.`), body);
  const keys = await Promise.all([secret].flat().map(importSecret));
  const candidates = signatures.flatMap((signature) => keys.map((key) => isSignedBy(signed, signature, key)));
  if (!(await Promise.all(candidates)).includes(true))
    throw new WebhookVerificationError('invalid_signature', 'No signature matches the body and the secret.');
  // The signature covers the time, so that only an authentic one is reported as too old.
  const age = Math.abs(Date.now() / 1_000 - Number(timestamp));
  if (!(age <= (options.toleranceSeconds ?? DEFAULT_TOLERANCE_SECONDS)))
    throw new WebhookVerificationError('outside_tolerance', `webhook-timestamp is ${Math.round(age)} s from now.`);
  return { ...(JSON.parse(new TextDecoder().decode(body)) as Omit<WebhookEvent, 'id'>), id };
}

function readHeader(headers: WebhookHeaders, name: string): string {
  const isFetchHeaders = typeof (headers as Headers).get === 'function';
  const value = isFetchHeaders ? (headers as Headers).get(name) : (headers as Record<string, string>)[name];
  if (typeof value !== 'string' || value === '')
    throw new WebhookVerificationError('missing_header', `The header ${name} is missing.`);
  return value;
}

async function importSecret(secret: string): Promise<CryptoKey> {
  try {
    const bytes = decodeBase64(secret.replace(/^whsec_/, ''));
    return await crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
  } catch {
    throw new WebhookVerificationError('invalid_secret', 'The secret must be the whsec_… of the webhook.');
  }
}

async function isSignedBy(signed: Uint8Array<ArrayBuffer>, signature: string, key: CryptoKey): Promise<boolean> {
  if (!signature.startsWith('v1,')) return false;
  try {
    return await crypto.subtle.verify('HMAC', key, decodeBase64(signature.slice(3)), signed);
  } catch {
    return false;
  }
}

function decodeBase64(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}

function concatenate(...parts: Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let offset = 0;
  for (const part of parts) {
    whole.set(part, offset);
    offset += part.length;
  }
  return whole;
}
