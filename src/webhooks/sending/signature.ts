import { createHmac, randomBytes, type KeyObject } from 'node:crypto';

const PREFIX = 'whsec_';
const KEY_BYTES = 32;

/** A new signing secret as Standard Webhooks 1.0.0 writes it: `whsec_` and the key in base64. */
export function newSigningKey(): Buffer {
  return randomBytes(KEY_BYTES);
}

export function toSigningSecret(key: Buffer): string {
  return PREFIX + key.toString('base64');
}

/**
 * `webhook-signature`: one for each key, over id, timestamp and body (Standard Webhooks 1.0.0, Signature scheme).
 * @param keys key objects: given bytes, Node 24 spends four times as long on each signature
 * @param timestamp seconds, of this try
 */
export function sign(keys: readonly KeyObject[], id: string, timestamp: string, body: string): string {
  return keys
    .map((key) => `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`)
    .join(' ');
}
