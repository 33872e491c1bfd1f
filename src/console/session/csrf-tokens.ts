import { createHmac, randomBytes, timingSafeEqual, type KeyObject } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { KeyRing } from '../../config';

const PURPOSE = 'console-csrf';

/**
 * Tokens that bind a form to a browser session. Each is another one, so that the size of a compressed page that holds
 * one tells nothing of the next.
 */
@Injectable()
export class CsrfTokens {
  constructor(private readonly keyRing: KeyRing) {}

  issue(session: string): string {
    const nonce = randomBytes(12).toString('base64url');
    return `${nonce}.${mac(this.keyRing.keys(PURPOSE)[0], nonce, session).toString('base64url')}`;
  }

  isGood(token: string, session: string): boolean {
    const [nonce, seal, ...more] = token.split('.');
    if (nonce === undefined || seal === undefined || more.length > 0) return false;
    const given = Buffer.from(seal, 'base64url');
    return this.keyRing.keys(PURPOSE).some((key) => isEqual(mac(key, nonce, session), given));
  }
}

function mac(key: KeyObject, nonce: string, session: string): Buffer {
  return createHmac('sha256', key).update(`${nonce}.${session}`).digest();
}

function isEqual(a: Buffer, b: Buffer): boolean {
  return a.length === b.length && timingSafeEqual(a, b);
}
