import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { computeMac, verifyMac } from '../../common/mac';
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
    const [key] = this.derivedKeyProvider.getKeys(KEY_PURPOSE);
    return `${nonce}.${computeMac(key, bindToLogin(nonce, loginId))}`;
  }

  isValidToken(token: string, loginId: string): boolean {
    const [nonce, mac, ...rest] = token.split('.');
    if (nonce === undefined || mac === undefined || rest.length > 0) return false;
    return verifyMac(this.derivedKeyProvider.getKeys(KEY_PURPOSE), bindToLogin(nonce, loginId), mac);
  }
}

/** Returns what the MAC of a token authenticates. */
function bindToLogin(nonce: string, loginId: string): string {
  return `${nonce}.${loginId}`;
}
