import { expectStatus, ForeignAccountDevice } from '../../support/device/foreign-device';
import { buildInvocationReport, InvocationFixture } from '../../support/invocation-fixture';
import { expectProblem, expectViolationPaths } from '../../support/problems';

const UNKNOWN = 'inv_00000000000000000000000000';
const OUTPUT = { stream: 'stderr', offset: 4, nextOffset: 6, totalBytes: 6, data: 'aGk=', eof: false };

describe('calls about an invocation', () => {
  let fixture: InvocationFixture;
  let invocation: { id: string; requestId: string };

  beforeAll(async () => {
    fixture = await InvocationFixture.start();
  });
  beforeEach(async () => {
    fixture.reset();
    invocation = await fixture.startInvocation();
    fixture.reset();
  });
  afterAll(() => fixture?.stop());

  const answerWith = (result: object) => fixture.machine.socket.setHandler(() => ({ ok: true, result }));
  const readOutput = (query = '', token = fixture.relay.token, id = invocation.id) =>
    fixture.relay.http.get(fixture.getPath(`/${id}/output${query}`), token);
  const listRequests = () => fixture.machine.socket.requests;

  describe('cancel', () => {
    it('reach the device, and consume from the bucket of metadata', async () => {
      answerWith({ state: 'cancelled' });
      const httpResponse = await fixture.cancel(invocation.id);
      expect(expectStatus(httpResponse, 200).result).toEqual({ state: 'cancelled' });
      expect(httpResponse.headers.get('ratelimit-policy')).toContain('metadata');
      expect(listRequests()).toMatchObject([
        { method: 'invocation.cancel', machineId: fixture.machine.id, params: { invocationId: invocation.id } },
      ]);
    });

    it('need no device if the invocation has ended', async () => {
      expectStatus(await fixture.report(invocation, buildInvocationReport('timed_out', 2)), 200);
      const keyed = { headers: { 'Idempotency-Key': 'ended' } };
      const first = await fixture.cancel(invocation.id, keyed);
      expect(expectStatus(first, 200).result).toEqual({ state: 'timed_out' });
      expect((await fixture.cancel(invocation.id, keyed)).body).toEqual(first.body);
      expect(listRequests()).toEqual([]);
    });
  });

  describe('output', () => {
    it('read from the device by offset, and must not be cached', async () => {
      answerWith(OUTPUT);
      const httpResponse = await readOutput('?stream=stderr&offset=4&limit=2');
      expect(expectStatus(httpResponse, 200)).toEqual({
        requestId: httpResponse.headers.get('x-request-id'),
        result: OUTPUT,
      });
      expect(httpResponse.headers.get('ratelimit-policy')).toContain('relay');
      expect([httpResponse.headers.get('cache-control'), httpResponse.headers.get('etag')]).toEqual(['no-store', null]);
      expect(listRequests()).toMatchObject([
        {
          method: 'invocation.output',
          params: { invocationId: invocation.id, stream: 'stderr', offset: 4, limit: 2 },
        },
      ]);
    });

    it.each([
      ['another stream', { stream: 'stdout' }],
      ['an offset before the requested one', { offset: 3, nextOffset: 5 }],
      ['a next offset that is not behind the bytes', { nextOffset: 4 }],
      ['a next offset behind the end', { totalBytes: 5 }],
      ['no progress', { nextOffset: 4, data: '' }],
      ['more bytes than requested', { nextOffset: 7, totalBytes: 7, data: 'aGkh' }],
      ['a position that is none', { offset: '4' }],
      ['data that is not base64', { data: 'a\u00e9==' }],
      ['no end', { eof: null }],
    ])('is refused if the device answers with %s', async (_, change) => {
      answerWith({ ...OUTPUT, ...change });
      const problem = expectProblem(await readOutput('?stream=stderr&offset=4&limit=2'), 502, 'device_error');
      expect(problem.deviceError).toMatchObject({ code: 'invalid_answer' });
    });

    it('may begin later than requested, or at the end if it is before the requested offset', async () => {
      answerWith({ ...OUTPUT, offset: 100, nextOffset: 102, totalBytes: 102 });
      expectStatus(await readOutput('?stream=stderr&offset=4&limit=2'), 200);
      answerWith({ ...OUTPUT, offset: 2, nextOffset: 2, totalBytes: 2, data: '', eof: true });
      expectStatus(await readOutput('?stream=stderr&offset=4&limit=2'), 200);
    });

    it('begin at the beginning of the standard output, with the largest limit', async () => {
      answerWith({ ...OUTPUT, stream: 'stdout' });
      expectStatus(await readOutput(), 200);
      expect(listRequests()[0].params).toEqual({
        invocationId: invocation.id,
        stream: 'stdout',
        offset: 0,
        limit: 262_144,
      });
    });

    it('are asked of the device when the invocation has ended, and show its error', async () => {
      expectStatus(await fixture.report(invocation, buildInvocationReport('completed', 2)), 200);
      const error = { code: 'output_not_found', message: 'The output is older than 24 hours.' };
      fixture.machine.socket.setHandler(() => ({ ok: false, error }));
      expect(expectProblem(await readOutput(), 502, 'device_error').deviceError).toEqual(error);
    });

    it.each([
      ['?stream=stdin', ['/stream']],
      ['?offset=-1', ['/offset']],
      ['?offset=x', ['/offset']],
      ['?limit=0', ['/limit']],
      ['?limit=262145', ['/limit']],
      ['?tail=1', ['/tail']],
    ])('are refused with %s', async (query, paths) => {
      expect(expectViolationPaths(await readOutput(query))).toEqual(paths);
    });
  });

  it('are 404 for an invocation that is unknown, of another machine or another account’s', async () => {
    const other = await fixture.relay.createMachine(['invocation']);
    const eve = await ForeignAccountDevice.signUp(fixture.relay.http);
    const { token: foreign } = await eve.createToken(['machines:invoke']);
    const calls = (machineId: string, id: string, token: string) => [
      fixture.relay.http.get(fixture.getPath(`/${id}`, machineId), token),
      fixture.relay.http.get(fixture.getPath(`/${id}/output`, machineId), token),
      fixture.relay.http.post(fixture.getPath(`/${id}/cancel`, machineId), token, undefined),
    ];
    const responses = await Promise.all([
      ...calls(fixture.machine.id, UNKNOWN, fixture.relay.token),
      ...calls(fixture.machine.id, 'nonsense', fixture.relay.token),
      ...calls(other.id, invocation.id, fixture.relay.token),
      ...calls(fixture.machine.id, invocation.id, foreign),
    ]);
    for (const response of responses) expectProblem(response, 404, 'not_found');
    expectProblem(await fixture.relay.http.get(fixture.getPath(), foreign), 404, 'not_found');
    expect([listRequests(), other.socket.requests]).toEqual([[], []]);
  });

  it('require machines:invoke', async () => {
    const { token } = await fixture.relay.ada.createToken(['machines:read', 'sessions:write']);
    const responses = [
      await fixture.relay.http.get(fixture.getPath(), token),
      await fixture.relay.http.get(fixture.getPath(`/${invocation.id}`), token),
      await readOutput('', token),
      await fixture.cancel(invocation.id, {}, token),
    ];
    for (const response of responses) {
      expect(expectProblem(response, 403, 'insufficient_scope').required).toEqual(['machines:invoke']);
    }
  });

  it('are open to account devices below /v1/control', async () => {
    const path = fixture.getPath().replace('/external/v1', '/v1/control');
    const { token } = fixture.relay.ada;
    const { data } = expectStatus(await fixture.relay.http.post(path, token, { command: 'make' }), 202);
    expect(listRequests()).toMatchObject([{ method: 'invocation.start', caller: 'device' }]);
    expect(expectStatus(await fixture.relay.http.get(`${path}/${data.id}`, token), 200).data).toEqual(data);
    expectProblem(await fixture.relay.http.get(path, fixture.machine.device.token), 403, 'forbidden');
  });
});
