import { createHmac, randomBytes, type KeyObject } from 'node:crypto';

const SECRET_PREFIX = 'whsec_';
const SIGNING_KEY_BYTES = 32;

export function generateSigningKey(): Buffer {
  return randomBytes(SIGNING_KEY_BYTES);
}

/** Formats a signing key as in Standard Webhooks 1.0.0: `whsec_` and the key in base64. */
export function formatSigningSecret(key: Buffer): string {
  return SECRET_PREFIX + key.toString('base64');
}

/**
 * Returns the `webhook-signature` header: one signature per key over id, timestamp and body (Standard Webhooks 1.0.0,
 * Signature scheme).
 * @param keys key objects, since Node.js 24 takes four times as long per signature with raw bytes
 * @param timestamp start of the attempt, in Unix seconds
 */
export function signPayload(keys: readonly KeyObject[], eventId: string, timestamp: string, body: string): string {
  return keys
    .map((key) => `v1,${createHmac('sha256', key).update(`${eventId}.${timestamp}.${body}`).digest('base64')}`)
    .join(' ');
}
