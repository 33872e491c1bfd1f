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

/** Returns the time at which the id was generated, in Unix milliseconds. */
export function getIdTime(id: string): number {
  return Number.parseInt(TypeID.fromString(id).toUUID().replace('-', '').slice(0, 12), 16);
}

/** Returns the lowest id of this time (Unix milliseconds). It sorts before all ids that are generated then or later. */
export function getLowestId(prefix: IdPrefix, time: number): string {
  const hex = Math.max(0, Math.floor(time)).toString(16).padStart(12, '0');
  return TypeID.fromUUID(prefix, `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`).toString();
}

/** Returns whether `value` is a well-formed id with this prefix. Does not check that it exists. */
export function isWellFormedId(prefix: IdPrefix, value: string): boolean {
  try {
    return TypeID.fromString(value, prefix).getType() === prefix;
  } catch {
    return false;
  }
}
