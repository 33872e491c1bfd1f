import { ApiError } from '@external-api/client';
import { describeFailure } from './describe-failure.ts';

it.each([
  ['connection_failed', "can't be reached from here"],
  ['unexpected_response', "can't be reached from here"],
  ['invalid_token', 'Ask the user for a new token'],
  ['insufficient_scope', 'Ask the user for a token with this scope.'],
  ['machine_not_allowed', 'Ask the user for a token for this machine.'],
  ['no_content_grant', 'Ask the user to share the session with this token.'],
  ['no_online_device', "Ask the user to start the device's program on that machine"],
  ['device_busy', 'Try again later.'],
  ['session_not_active', 'Start another one.'],
  ['not_found', 'List the records to find a valid ID.'],
  ['rate_limited', 'Make fewer calls.'],
])('advises on the error %s', (code, advice) => {
  const text = describeFailure(new ApiError({ status: 400, code, message: 'Refused.', requestId: 'req_1' }));
  expect(text.startsWith(`${code}: Refused. (req_1) `)).toBe(true);
  expect(text).toContain(advice);
});

it.each([
  ['has the message of any other error', new Error('Broken.'), 'Broken.'],
  ['has what was thrown in place of an error', 'Broken.', 'Broken.'],
])('%s', (_, error, text) => {
  expect(describeFailure(error)).toBe(text);
});
