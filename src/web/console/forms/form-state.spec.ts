import { ApiError, invalidRequestError } from '../../../common/errors';
import { getFormNumber, toRejectedForm } from './form-state';

const violation = (path: string, message: string) => ({ in: 'body', path, code: 'x', message }) as const;

describe('a rejected form', () => {
  it.each([
    ['/name', '/name must be a string.', 'name', 'Must be a string.'],
    ['/name', '/name is required.', 'name', 'Is required.'],
    ['/scopes', '/scopes must contain at least 1 elements.', 'scopes', 'Choose at least one.'],
    ['/events', 'each value in /events must be a string.', 'events', 'Each must be a string.'],
    ['/events/0', '/events/0 must be a string.', 'events', 'Must be a string.'],
  ])('has the error at %s, "%s", at its field', (path, message, field, text) => {
    const form = toRejectedForm({ name: 'x' }, invalidRequestError([violation(path, message)]));
    expect(form).toEqual({ values: { name: 'x' }, fieldErrors: { [field]: text }, problem: null, status: 400 });
  });

  it('has the first of several errors of a field', () => {
    const error = invalidRequestError([violation('/name', '/name is first.'), violation('/name', '/name is second.')]);
    expect(toRejectedForm({}, error).fieldErrors).toEqual({ name: 'Is first.' });
  });

  it.each([
    ['conflict', 409],
    ['rate_limited', 429],
    ['service_unavailable', 503],
  ] as const)('keeps what was entered after %s', (code, status) => {
    const form = toRejectedForm({ name: 'x' }, new ApiError(code, 'Refused.'));
    expect(form).toEqual({ values: { name: 'x' }, fieldErrors: {}, problem: 'Refused.', status });
  });

  it('leaves all other errors to the page of errors', () => {
    for (const error of [new ApiError('not_found', 'x'), new Error('x')])
      expect(() => toRejectedForm({}, error)).toThrow(error);
  });
});

it.each([
  ['7', 7],
  [' -1.5 ', -1.5],
  ['', undefined],
  ['7 days', '7 days'],
  ['1e3', '1e3'],
])('reads the number %j as %j', (text, value) => {
  expect(getFormNumber({ days: text }, 'days')).toBe(value);
});
