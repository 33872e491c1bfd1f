import { TypeID, typeid } from 'typeid-js';
import type { ResourceIdPrefix } from './resources';

/**
 * Prefixes of all ids (docs/protocol/external-api.md#ids): those of resources, and of records that have no path of
 * their own.
 */
export type IdPrefix = ResourceIdPrefix | 'pair' | 'sec' | 'evt' | 'dlv';

/** Returns a new id: prefix, `_` and 26 Crockford base32 characters of a UUIDv7. Ids sort by creation time. */
export function generateId(prefix: IdPrefix): string {
  return typeid(prefix).toString();
}

/** Returns whether `value` is a well-formed id with this prefix. Does not check that it exists. */
export function isWellFormedId(prefix: IdPrefix, value: string): boolean {
  try {
    return TypeID.fromString(value, prefix).getType() === prefix;
  } catch {
    return false;
  }
}
