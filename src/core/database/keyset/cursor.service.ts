import { createHmac, timingSafeEqual, type KeyObject } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { ApiError } from '../../../common/errors';
import { DerivedKeyProvider } from '../../config';

export type CursorFilters = Record<string, string | number>;

export type KeysetValue = string | number;

/** End of a page, with the list, filters and order of its query. Serialized: member names must not change. */
export interface Cursor {
  /** Name and owner of the list. A cursor is invalid for any other list. */
  list: string;
  filters: CursorFilters;
  order: 'asc' | 'desc';
  /** Key values of the page's last row. */
  after: KeysetValue[];
}

const SIGNATURE_BYTES = 16;

/** Encodes and decodes cursors: JSON with a truncated HMAC-SHA-256, in base64url. Cursors don't expire. */
@Injectable()
export class CursorService {
  constructor(private readonly derivedKeyProvider: DerivedKeyProvider) {}

  encodeCursor(cursor: Cursor): string {
    const body = Buffer.from(JSON.stringify(cursor));
    const [key] = this.derivedKeyProvider.getKeys('cursor');
    return Buffer.concat([signBody(key, body), body]).toString('base64url');
  }

  /** @throws ApiError `invalid_cursor` unless `encodeCursor` created the text */
  decodeCursor(text: string): Cursor {
    const bytes = Buffer.from(text, 'base64url');
    const signature = bytes.subarray(0, SIGNATURE_BYTES);
    const body = bytes.subarray(SIGNATURE_BYTES);
    const isGenuine =
      bytes.toString('base64url') === text &&
      signature.length === SIGNATURE_BYTES &&
      this.derivedKeyProvider.getKeys('cursor').some((key) => timingSafeEqual(signature, signBody(key, body)));
    if (!isGenuine) throw invalidCursorError('The cursor was not created by this API or has been modified.');
    return JSON.parse(body.toString()) as Cursor;
  }
}

export function invalidCursorError(detail: string): ApiError {
  return new ApiError('invalid_cursor', detail);
}

function signBody(key: KeyObject, body: Buffer): Buffer {
  return createHmac('sha256', key).update(body).digest().subarray(0, SIGNATURE_BYTES);
}
