import { Injectable } from '@nestjs/common';
import type { CookieOptions, Request, Response } from 'express';
import { Config } from '../config';

/**
 * The cookie of a browser session (console.md, Sign-in). Its value is a device token, so that whatever ends the token
 * or its device ends the session.
 */
@Injectable()
export class SessionCookie {
  readonly name: string;
  private readonly options: CookieOptions;

  constructor({ publicUrl }: Config) {
    const secure = publicUrl.startsWith('https:');
    // With this prefix no other host or path, and no plain connection, can have set it (RFC 6265bis §4.1.3).
    this.name = secure ? '__Host-external_api_session' : 'external_api_session';
    this.options = { httpOnly: true, sameSite: 'lax', secure, path: '/' };
  }

  /** Null without one, and where two of the name arrive: somebody else has set one of them. */
  read(request: Request): string | null {
    const pairs = (request.headers.cookie ?? '').split(';').map((pair) => pair.trim());
    const values = pairs.filter((pair) => pair.startsWith(`${this.name}=`));
    return values.length === 1 ? values[0]!.slice(this.name.length + 1) : null;
  }

  /** @param expiresAt Unix ms */
  set(response: Response, token: string, expiresAt: number): void {
    response.cookie(this.name, token, { ...this.options, expires: new Date(expiresAt) });
  }

  clear(response: Response): void {
    response.clearCookie(this.name, this.options);
  }
}
