import { createHmac, timingSafeEqual, type KeyObject } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { ApiError } from '../../common/errors';
import { KeyRing } from '../../config';

export type Filters = Record<string, string | number>;

export type KeyValue = string | number;

/** Where a page ended, and the list, filters and order that it was made with. */
export interface Cursor {
  /** Names the list and whose it is; a cursor opens no other. */
  list: string;
  filters: Filters;
  order: 'asc' | 'desc';
  /** The last row's place in the order. */
  after: KeyValue[];
}

const SIGNATURE_BYTES = 16;

/** Opaque to callers: JSON in base64url with a truncated HMAC-SHA-256. It does not expire. */
@Injectable()
export class CursorCodec {
  constructor(private readonly keyRing: KeyRing) {}

  encode(cursor: Cursor): string {
    const body = Buffer.from(JSON.stringify(cursor));
    const [key] = this.keyRing.keys('cursor');
    return Buffer.concat([sign(key, body), body]).toString('base64url');
  }

  /** @throws ApiError `invalid_cursor` for anything that `encode` did not make */
  decode(text: string): Cursor {
    const bytes = Buffer.from(text, 'base64url');
    const signature = bytes.subarray(0, SIGNATURE_BYTES);
    const body = bytes.subarray(SIGNATURE_BYTES);
    const genuine =
      bytes.toString('base64url') === text &&
      signature.length === SIGNATURE_BYTES &&
      this.keyRing.keys('cursor').some((key) => timingSafeEqual(signature, sign(key, body)));
    if (!genuine) throw invalidCursor('The cursor was not made by this API, or was changed.');
    return JSON.parse(body.toString()) as Cursor;
  }
}

export function invalidCursor(detail: string): ApiError {
  return new ApiError('invalid_cursor', detail);
}

function sign(key: KeyObject, body: Buffer): Buffer {
  return createHmac('sha256', key).update(body).digest().subarray(0, SIGNATURE_BYTES);
}
