import { ERRORS, type ErrorCode } from '../common/errors';
import { escapeHtml } from '../common/escape-html';

/** What each code means and what to do about it; the page that every problem's `type` points to. */
const MEANINGS: Record<ErrorCode, string> = {
  invalid_request: 'Something in the request is not as documented; errors lists every fault.',
  invalid_cursor: 'The cursor was changed by hand, or belongs to another list or other filters. Begin again.',
  missing_token: 'Send a token in the Authorization header.',
  invalid_token: 'The token is malformed, unknown, expired, revoked, or of a kind that this path does not take.',
  insufficient_scope: 'The token is good but lacks a scope; required lists what the call asks for.',
  no_content_grant: 'No key grant lets this caller read the content.',
  forbidden: 'This kind of credential may not do this.',
  plan_limit_exceeded: 'The account has as many of these as its plan allows; limit says how many.',
  not_found: 'There is no such thing for this account; a malformed id gives the same answer.',
  method_not_allowed: 'The path exists but not with this method; see Allow.',
  not_acceptable: 'The resource is not available in what Accept asks for.',
  conflict: 'Another request came first, or a name is taken; current says where things stand, if they have versions.',
  session_not_active: 'The session has ended; messages go into active ones.',
  idempotency_in_progress: 'The first call with this Idempotency-Key still runs. Wait, then ask again.',
  gone: 'The route is past its sunset. Its successor was named in the Link header.',
  payload_too_large: 'The body is larger than the route takes.',
  unsupported_media_type: 'The body must be application/json in UTF-8.',
  idempotency_key_reused: 'This Idempotency-Key was used with another request.',
  grant_key_mismatch: 'A sealed key does not open or does not match, or a ciphertext is out of its place.',
  rate_limited: 'The bucket is empty; wait for Retry-After.',
  device_busy: 'The device has as many calls in flight as it takes. Nothing ran.',
  internal_error: 'Something went wrong here. Quote the requestId.',
  device_error: 'The device answered with an error, or with what is no answer; see deviceError.',
  device_disconnected: 'The device vanished during the call, which may have run.',
  no_online_device: 'No device that can serve the call is online. Nothing ran.',
  relay_unavailable: 'The relay cannot take the call now. Nothing ran.',
  service_unavailable: 'The service is starting, stopping, or cannot reach its database. Try again.',
  timeout: 'The device did not answer in time. The call may have run.',
};

/** A table row per code, each with the anchor that `type` names. */
export function errorListHtml(): string {
  const rows = (Object.keys(ERRORS) as ErrorCode[]).map((code) => {
    const [status] = ERRORS[code];
    return `<tr id="${code}"><td>${status}</td><td><a href="#${code}"><code>${code}</code></a></td><td>${escapeHtml(MEANINGS[code])}</td></tr>`;
  });
  return `<h2 id="codes">Every code</h2>
<table><thead><tr><th scope="col">Status</th><th scope="col">Code</th><th scope="col">Meaning</th></tr></thead>
<tbody>${rows.join('\n')}</tbody></table>`;
}
