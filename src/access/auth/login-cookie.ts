import { Injectable } from '@nestjs/common';
import type { CookieOptions, Request, Response } from 'express';
import { Config } from '../../core/config';
import type { DevicePrincipal } from './principal';

/**
 * Cookie of a browser login (docs/guide/console.md#sign-in-and-sign-out). Its value is a device token: revoking the
 * token or its device ends the login.
 */
@Injectable()
export class LoginCookie {
  readonly name: string;
  private readonly options: CookieOptions;

  constructor({ publicUrl }: Config) {
    const secure = publicUrl.startsWith('https:');
    // Browsers accept the prefix only over TLS, for this host and the path / (RFC 6265bis §4.1.3).
    this.name = secure ? '__Host-external_api_session' : 'external_api_session';
    this.options = { httpOnly: true, sameSite: 'lax', secure, path: '/' };
  }

  /** Returns null without the cookie, and if it occurs twice: then another party has set one of them. */
  readToken(request: Request): string | null {
    const pairs = (request.headers.cookie ?? '').split(';').map((pair) => pair.trim());
    const values = pairs.filter((pair) => pair.startsWith(`${this.name}=`));
    return values.length === 1 ? values[0]!.slice(this.name.length + 1) : null;
  }

  /** @param expiresAt Unix ms */
  setToken(response: Response, token: string, expiresAt: number): void {
    response.cookie(this.name, token, { ...this.options, expires: new Date(expiresAt) });
  }

  clearToken(response: Response): void {
    response.clearCookie(this.name, this.options);
  }
}

/** Returns a hash that identifies a browser login and cannot be used as its credential. */
export function getLoginId({ tokenHash }: DevicePrincipal): string {
  return tokenHash.toString('hex');
}
