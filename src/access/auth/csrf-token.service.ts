import { createHmac, randomBytes, timingSafeEqual, type KeyObject } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { DerivedKeyProvider } from '../../core/config';

const KEY_PURPOSE = 'console-csrf';

/**
 * Tokens that bind a form to a browser login. Every token is different, so the size of a compressed page reveals
 * nothing about the next one (BREACH).
 */
@Injectable()
export class CsrfTokenService {
  constructor(private readonly derivedKeyProvider: DerivedKeyProvider) {}

  issueToken(loginId: string): string {
    const nonce = randomBytes(12).toString('base64url');
    const mac = computeCsrfMac(this.derivedKeyProvider.getKeys(KEY_PURPOSE)[0], nonce, loginId);
    return `${nonce}.${mac.toString('base64url')}`;
  }

  isValidToken(token: string, loginId: string): boolean {
    const [nonce, givenMac, ...rest] = token.split('.');
    if (nonce === undefined || givenMac === undefined || rest.length > 0) return false;
    const given = Buffer.from(givenMac, 'base64url');
    return this.derivedKeyProvider
      .getKeys(KEY_PURPOSE)
      .some((key) => isEqualMac(computeCsrfMac(key, nonce, loginId), given));
  }
}

function computeCsrfMac(key: KeyObject, nonce: string, loginId: string): Buffer {
  return createHmac('sha256', key).update(`${nonce}.${loginId}`).digest();
}

function isEqualMac(a: Buffer, b: Buffer): boolean {
  return a.length === b.length && timingSafeEqual(a, b);
}
