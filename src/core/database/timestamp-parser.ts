import { types, type CustomTypesConfig } from 'pg';

const TIMESTAMPTZ: number = types.builtins.TIMESTAMPTZ;
const ZERO = 48;
/** Lengths of `2026-01-31 12:34:56+00` and of the same with one to six digits of a second's fraction. */
const LENGTH_WITHOUT_FRACTION = 22;
const MAX_LENGTH = LENGTH_WITHOUT_FRACTION + 7;

type Parsers = CustomTypesConfig['getTypeParser'];
type Parse = (text: string) => unknown;

/** Parsers of the service's connections: those of `pg`, and a fast one for `timestamptz`. */
export const databaseTypes: CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
    oid === TIMESTAMPTZ && format !== 'binary' ? parseTimestamp : getDefaultParser(oid, format)) as Parsers,
};

/**
 * Parses a time as PostgreSQL writes it in a session in UTC, by its digits. The parser of `pg`, a regular expression,
 * took a twentieth of a page of sessions. Leaves everything else to it: other time zones, years after 9999 and
 * infinity.
 */
export function parseTimestamp(text: string): Date | number | null {
  const { length } = text;
  const isUtc =
    length >= LENGTH_WITHOUT_FRACTION &&
    length <= MAX_LENGTH &&
    text[4] === '-' &&
    text[10] === ' ' &&
    text.endsWith('+00');
  if (!isUtc || text.startsWith('00')) return getDefaultParser(TIMESTAMPTZ)(text) as Date | number | null;
  const fraction = length - LENGTH_WITHOUT_FRACTION - 1;
  return new Date(
    Date.UTC(
      readPair(text, 0) * 100 + readPair(text, 2),
      readPair(text, 5) - 1,
      readPair(text, 8),
      readPair(text, 11),
      readPair(text, 14),
      readPair(text, 17),
      fraction > 0 ? readMilliseconds(text, fraction) : 0,
    ),
  );
}

/** Returns the parser of `pg` for a type, by its OID. */
function getDefaultParser(oid: number, format?: 'text' | 'binary'): Parse {
  return types.getTypeParser(oid, format) as Parse;
}

/** Reads the number of two digits. */
function readPair(text: string, index: number): number {
  return (text.charCodeAt(index) - ZERO) * 10 + text.charCodeAt(index + 1) - ZERO;
}

/** Reads the first three digits of a fraction of a second. PostgreSQL omits zeros at its end. */
function readMilliseconds(text: string, digits: number): number {
  let milliseconds = 0;
  for (let n = 0; n < 3; n++) milliseconds = milliseconds * 10 + (n < digits ? text.charCodeAt(20 + n) - ZERO : 0);
  return milliseconds;
}
