import { TypeID, typeid } from 'typeid-js';

/** Every id prefix of the service (external-api.md §1, Ids); `aut`, an app's authorization, is never shown. */
export type IdPrefix =
  | 'acc'
  | 'dev'
  | 'pair'
  | 'ses'
  | 'msg'
  | 'mch'
  | 'art'
  | 'tok'
  | 'grt'
  | 'sec'
  | 'whk'
  | 'evt'
  | 'dlv'
  | 'req'
  | 'aut';

/** A new id: prefix, `_`, 26 Crockford base32 characters of a UUIDv7; sorts by creation time. */
export function newId(prefix: IdPrefix): string {
  return typeid(prefix).toString();
}

/** Whether `value` is a well-formed id of this prefix; says nothing about its existence. */
export function isId(prefix: IdPrefix, value: string): boolean {
  try {
    return TypeID.fromString(value, prefix).getType() === prefix;
  } catch {
    return false;
  }
}
