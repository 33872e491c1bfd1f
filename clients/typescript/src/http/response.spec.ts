import { isServiceResult, isServiceSuccess, toApiError } from './response.ts';

const respond = (status: number, mediaType: string, body: string, headers: Record<string, string> = {}) =>
  new Response(body, { status, headers: { 'content-type': mediaType, ...headers } });
const respondProblem = (headers: Record<string, string>) =>
  respond(404, 'application/problem+json', '{"code":"not_found","detail":"No.","requestId":"req_1"}', headers);

describe('a response', () => {
  it.each<[string, Response, boolean]>([
    ['of the service', respond(200, 'application/json', '{}', { 'x-request-id': 'req_1' }), true],
    ['without an id', respond(200, 'application/json', '{}'), false],
    ['that is a page', respond(200, 'text/html; charset=utf-8', '', { 'x-request-id': 'x' }), false],
    ['that is an error', respond(404, 'application/json', '{}', { 'x-request-id': 'x' }), false],
  ])('%s: %#', (_, response, expected) => expect(isServiceSuccess(response)).toBe(expected));

  it.each<[body: unknown, method: string, path: string, expected: boolean]>([
    [{ data: { object: 'session' } }, 'GET', '/sessions/ses_1', true],
    [{ data: [], nextCursor: null }, 'GET', '/sessions', true],
    [{ requestId: 'req_1', result: {} }, 'POST', '/machines/mch_1/invoke', true],
    [undefined, 'DELETE', '/webhooks/whk_1', true],
    [new Uint8Array(1), 'GET', '/artifacts/art_1/content', true],
    [{ active: false }, 'POST', '/oauth/introspect', true],
    [{ openapi: '3.1.0' }, 'GET', '/openapi.json', true],
    [{}, 'GET', '/sessions', false],
    [{ ok: true }, 'POST', '/machines/mch_1/invoke', false],
    [{ data: 'ok' }, 'GET', '/sessions', false],
    [{ result: [] }, 'POST', '/machines/mch_1/invoke', false],
    [[], 'GET', '/sessions', false],
    [null, 'GET', '/sessions', false],
    ['OK', 'GET', '/sessions', false],
    [undefined, 'GET', '/sessions/ses_1', false],
  ])('with the body %j is a result of %s %s: %s', (body, method, path, expected) =>
    expect(isServiceResult(method, `https://api.example/external/v1${path}`, body)).toBe(expected),
  );

  it.each<Record<string, string>>([
    { 'x-request-id': 'req_1' },
    { 'x-request-id': 'req_2', 'idempotency-replayed': 'true' },
  ])('has the code of the service: %j', async (headers) => {
    expect(await toApiError(respondProblem(headers), true)).toMatchObject({ code: 'not_found', message: 'No.' });
  });

  it.each<[string, Response]>([
    ['a problem without an id of the response', respondProblem({})],
    ['a problem with another id', respondProblem({ 'x-request-id': 'req_2' })],
    ['a problem that is no JSON', respond(404, 'application/problem+json', '<', { 'x-request-id': 'req_1' })],
    ['a page', respond(403, 'text/html', '', { 'x-request-id': 'req_1' })],
  ])('is unexpected with %s', async (_, response) => {
    expect(await toApiError(response, true)).toMatchObject({ code: 'unexpected_response', outcome: 'unknown' });
  });
});
