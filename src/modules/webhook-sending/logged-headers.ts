import type { IncomingHttpHeaders } from 'node:http';
import { truncateText } from '@external-api/protocol';

/** Response headers by lower-case name. */
export type LoggedHeaders = Record<string, string>;

const MAX_HEADERS = 40;
const MAX_NAME_LENGTH = 100;
const MAX_VALUE_LENGTH = 500;
/** Sum of names and values. */
const MAX_TOTAL_LENGTH = 4_096;
/** Names of headers whose values may be secrets, such as `Set-Cookie`, `Authorization` and `X-Api-Key`. */
const SECRET_NAME = /auth|cookie|credential|key|passw|secret|session|signature|token/i;

/** Returns the first headers of a response for the attempt log, without those whose values may be secrets. */
export function selectLoggedHeaders(headers: IncomingHttpHeaders): LoggedHeaders {
  const selected: LoggedHeaders = {};
  let remaining = MAX_TOTAL_LENGTH;
  for (const [name, value] of Object.entries(headers).slice(0, MAX_HEADERS)) {
    if (value === undefined || SECRET_NAME.test(name) || name.length > MAX_NAME_LENGTH) continue;
    const text = truncateValue(Array.isArray(value) ? value.join(', ') : value);
    remaining -= name.length + text.length;
    if (remaining < 0) break;
    selected[name] = text;
  }
  return selected;
}

function truncateValue(value: string): string {
  // PostgreSQL's jsonb type doesn't accept NUL characters.
  const text = truncateText(value, MAX_VALUE_LENGTH);
  return (text === value ? value : `${text}…`).replaceAll('\0', '\ufffd');
}
