import { readServiceAnswer, ServiceError, UnreachableError, type ResultKind } from './api-client';

const ID = { 'x-request-id': 'req_1' };

function respond(status: number, mediaType: string, body: object | string, headers: Record<string, string> = ID) {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return new Response(text, { status, headers: { 'content-type': mediaType, ...headers } });
}
const json = (body: object | string, headers?: Record<string, string>) =>
  respond(200, 'application/json; charset=utf-8', body, headers);
const problem = (body: object | string, headers?: Record<string, string>) =>
  respond(404, 'application/problem+json', body, headers);
const NOT_FOUND = { code: 'not_found', detail: 'No such session.', requestId: 'req_1' };

describe('an answer', () => {
  it.each<[ResultKind, object]>([
    ['record', { data: { object: 'session', later: 1 } }],
    ['list', { data: [{ id: 'ses_1' }], nextCursor: null }],
    ['list', { data: [], nextCursor: null }],
    ['result', { requestId: 'req_1', result: { state: 'completed' } }],
    ['any', { data: {} }],
    ['any', { requestId: 'req_1', result: {} }],
  ])('is the success of a call that has a %s', async (kind, body) => {
    expect(await readServiceAnswer(json(body), kind)).toEqual(body);
  });

  it('is a success without a body where the call has none', async () => {
    expect(await readServiceAnswer(new Response(null, { status: 204, headers: ID }), 'none')).toEqual({});
  });

  it.each([ID, { 'x-request-id': 'req_2', 'idempotency-replayed': 'true' }])(
    'is a refusal of the service, also a stored one: %j',
    async (headers) => {
      const error: unknown = await readServiceAnswer(problem(NOT_FOUND, headers), 'record').catch((e: unknown) => e);
      expect(error).toBeInstanceOf(ServiceError);
      expect(error).toMatchObject({ status: 404, code: 'not_found', message: 'No such session.' });
    },
  );

  it.each<[string, ResultKind | null, Response]>([
    ['a page with 200', 'record', respond(200, 'text/html', '<html>')],
    ['JSON without an id', 'record', json({ data: {} }, {})],
    ['JSON of something else', 'record', json({ ok: true })],
    ['a list instead of a record', 'record', json({ data: [] })],
    ['a record instead of a list', 'list', json({ data: {} })],
    ['a list of something else', 'list', json({ data: ['a'], nextCursor: null })],
    ['a list without a cursor', 'list', json({ data: [] })],
    ['a record instead of a result', 'result', json({ data: {} })],
    ['a result of something else', 'any', json({ result: 'ok' })],
    ['half an answer', 'record', json('{"data":{')],
    ['204 where a body is documented', 'record', new Response(null, { status: 204, headers: ID })],
    ['204 of a portal', 'none', new Response(null, { status: 204 })],
    ['a body where none is documented', 'none', json({ data: {} })],
    ['JSON instead of a stream', null, json({ data: {} })],
    ['a page with 404', 'record', respond(404, 'text/html', '<html>')],
    ['JSON of an error', 'record', respond(401, 'application/json', { ...NOT_FOUND, code: 'invalid_token' })],
    ['a problem without an id', 'record', problem(NOT_FOUND, {})],
    ['a problem with an id of a gateway', 'record', problem(NOT_FOUND, { 'x-request-id': 'req_2' })],
    ['a problem without a code', 'record', problem({ detail: 'No.', requestId: 'req_1' })],
    ['a problem that is no JSON', 'record', problem('<html>')],
    ['a proxy that asks for a password', 'record', new Response(null, { status: 407 })],
  ])('is not of the service: %s', async (_, kind, response) => {
    await expect(readServiceAnswer(response, kind)).rejects.toThrow(UnreachableError);
  });
});
