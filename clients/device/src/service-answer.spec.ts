import { ApiResponseError, UnreachableError } from './client-errors';
import { readServiceAnswer } from './service-answer';

const CALL = ['PUT', '/v1/sessions/ses_1/turns/req_1', 'https://api.example'] as const;

function answer(status: number, mediaType: string, body: unknown, headers: Record<string, string> = {}) {
  return { status, headers: new Headers({ 'content-type': mediaType, ...headers }), text: JSON.stringify(body) };
}

const problem = (code: string, requestId: string, headerId?: string) =>
  answer(
    404,
    'application/problem+json',
    { code, detail: 'No.', requestId },
    headerId ? { 'x-request-id': headerId } : {},
  );

describe('an answer', () => {
  it('is final with the result of the call, also with members of a later release', () => {
    const body = { data: { object: 'turn', id: 'turn_1', later: true }, later: true };
    expect(readServiceAnswer(...CALL, answer(201, 'application/json', body))).toEqual(body);
  });

  it('is final as a problem document of the service', () => {
    const read = () => readServiceAnswer(...CALL, problem('not_found', 'req_1', 'req_1'));
    expect(read).toThrow(new ApiResponseError(404, 'not_found', 'No.', 'req_1'));
  });

  it('says what is wrong on one line', () => {
    const errors = [{ path: 'name', message: 'is\nempty' }];
    const body = { code: 'not_found', detail: 'No.\r\nFingerprint  AAAA', requestId: 'req_1', errors };
    const response = answer(404, 'application/problem+json', body, { 'x-request-id': 'req_1' });
    const message = 'No. Fingerprint AAAA name: is empty. (not_found, req_1)';
    expect(() => readServiceAnswer(...CALL, response)).toThrow(message);
  });

  it.each([
    ['another record', answer(200, 'application/json', { data: { object: 'session', id: 'ses_1' } })],
    ['a list instead of a record', answer(200, 'application/json', { data: [] })],
    ['a list without its members', answer(200, 'application/json', { data: [{}] }), 'POST', '/v1/sessions/s/messages'],
    ['no body where one is documented', { status: 204, headers: new Headers(), text: '' }],
    ['no body and no id', { status: 204, headers: new Headers(), text: '' }, 'DELETE', '/v1/devices/dev_1'],
    ['a body where none is documented', answer(200, 'text/html', ''), 'DELETE', '/v1/devices/dev_1'],
    ['a problem without an id of the response', problem('not_found', 'req_1')],
    ['a problem with another id than the response', problem('not_found', 'req_1', 'req_2')],
    ['a problem with a code that the call has not', problem('grant_key_mismatch', 'req_1', 'req_1')],
    [
      'a problem of another media type',
      answer(404, 'application/json', { code: 'not_found', requestId: 'req_1' }, { 'x-request-id': 'req_1' }),
    ],
  ])('is not final with %s', (_, response, method = CALL[0], path = CALL[1]) => {
    expect(() => readServiceAnswer(method, path, CALL[2], response)).toThrow(UnreachableError);
  });

  it('is not asked for by a call that the protocol does not have', () => {
    expect(() => readServiceAnswer('PUT', '/v1/sessions', CALL[2], answer(200, 'application/json', {}))).toThrow(
      'The protocol has no call PUT /v1/sessions.',
    );
  });
});
