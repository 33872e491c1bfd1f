import { ServiceError, UnreachableError } from '../lib/api-client';
import { formatProblem } from './mount-page';

it.each([
  [new ServiceError(401, { detail: 'Detail.' }), 'You are signed out. Reload the page to sign in.'],
  [
    new ServiceError(429, { code: 'rate_limited', detail: 'Detail.' }, 12),
    'There are too many calls at the moment. Try again in 12 s.',
  ],
  [new ServiceError(409, { code: 'conflict', detail: 'Detail.' }), 'Detail.'],
  [new UnreachableError(), 'The service cannot be reached. Check the connection and try again.'],
  ['text', 'Something went wrong. Reload the page.'],
])('an error is a sentence for the page: %s', (error, text) => {
  expect(formatProblem(error)).toBe(text);
});
