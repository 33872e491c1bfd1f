import { ServiceError, UnreachableError } from '../lib/api-client';
import type { AccountApi } from './account-api';
import { explainCallError, RepeatableCall } from './relayed-call';

const UNKNOWN = 'Nobody knows.';

describe('an error of a relayed call', () => {
  it.each([
    [new ServiceError(401, { code: 'invalid_token' }), /signed out/],
    [new ServiceError(503, { code: 'no_online_device', outcome: 'not_delivered' }), /offline/],
    [new ServiceError(429, { code: 'rate_limited' }), /too many calls.*in a minute/],
    [new ServiceError(429, { code: 'rate_limited' }, 37), /too many calls.*nothing was sent.*in 37 s/],
    [new ServiceError(429, { code: 'rate_limited' }, 0), /in 1 s\.$/],
    [new ServiceError(429, { code: 'device_busy', outcome: 'not_delivered' }), /too much to do/],
    [
      new ServiceError(502, { code: 'device_error', outcome: 'answered', deviceError: { code: 'cwd_not_found' } }),
      /folder/,
    ],
    [new ServiceError(504, { code: 'timeout', outcome: 'unknown' }), /Nobody knows/],
    [new ServiceError(502, {}), /Nobody knows/],
    [new UnreachableError(), /Nobody knows/],
    [new ServiceError(400, { code: 'invalid_request', detail: '/cwd is too long.' }), /cwd is too long/],
    [new Error('A defect'), /A defect/],
  ])('is a plain sentence: %s', (error, text) => {
    expect(explainCallError(error, UNKNOWN)).toMatch(text);
  });

  it.each([
    ['too_many_streams', 'Close one of them'],
    ['session_busy', 'Try again when its turn has ended'],
    ['steer_unsupported', 'Queue the message, or interrupt the turn'],
    ['relay_unavailable', 'nothing was sent'],
    ['idempotency_in_progress', 'still running'],
    ['answer_not_kept', 'It was done before'],
  ])('of the service says what to do: %s', (code, text) => {
    expect(explainCallError(new ServiceError(409, { code, detail: 'Detail.' }), UNKNOWN)).toContain(text);
  });

  it.each([
    ['agent_not_found', 'doesn’t have this agent'],
    ['agent_auth_required', 'signed in on the machine'],
    ['agent_start_failed', 'could not be started'],
    ['agent_unsupported', 'its own sessions'],
    ['agent_session_not_found', 'Show the list again'],
    ['agent_mode_unsafe', 'known to ask before it acts'],
    ['mode_not_found', 'have this mode'],
    ['option_not_found', 'have this option'],
    ['option_value_not_found', 'have this value'],
    ['option_refused', 'refused this value'],
    ['options_unknown', 'Send a message'],
    ['cwd_not_allowed', '--allow-cwd'],
    ['attachment_unsupported', 'attached files'],
    ['session_exists', 'There is a session'],
    ['command_not_found', 'have this command'],
    ['permission_denied', 'may not run this command'],
    ['output_not_found', 'no longer has the output'],
  ])('of a device is a sentence of the page: %s', (code, text) => {
    const answered = { code: 'device_error', outcome: 'answered', detail: 'Detail.', deviceError: { code } };
    expect(explainCallError(new ServiceError(502, answered), UNKNOWN)).toContain(text);
  });

  it('of a device has its own text where only that names the cause', () => {
    const explain = (code: string, message: string) => {
      const problem = { code: 'device_error', outcome: 'answered', deviceError: { code, message } };
      return explainCallError(new ServiceError(502, problem), UNKNOWN);
    };
    expect(explain('agent_start_failed', 'npm ERR!\u001b[31m 404')).toBe(
      'The agent could not be started. The machine says: npm ERR!\\u{1b}[31m 404',
    );
    expect(explain('agent_not_found', 'x'.repeat(5_000)).length).toBeLessThan(1_200);
    expect(explain('agent_start_failed', '')).toBe('The agent could not be started.');
    expect(explain('mode_not_found', 'Text.')).not.toContain('Text.');
  });
});

describe('a call that is repeated', () => {
  const keys: string[] = [];
  let failure: Error | null;
  const api = {
    post: (_path: string, _body: object, key: string) => {
      keys.push(key);
      return failure ? Promise.reject(failure) : Promise.resolve({});
    },
  } as unknown as AccountApi;

  const callTwice = async (secondBody: object): Promise<boolean> => {
    keys.length = 0;
    const call = new RepeatableCall();
    await call.post(api, '/x', { a: 1 }).catch(() => undefined);
    await call.post(api, '/x', secondBody).catch(() => undefined);
    return keys[0] === keys[1];
  };

  it.each([
    new UnreachableError(),
    new ServiceError(409, { code: 'idempotency_in_progress' }),
    // Refused before the service has looked for the key: an earlier attempt may have run.
    new ServiceError(429, { code: 'rate_limited' }),
    new ServiceError(503, { code: 'service_unavailable', outcome: 'not_delivered' }),
  ])('keeps its key until the service has an answer to it: %s', async (error) => {
    failure = error;
    expect(await callTwice({ a: 1 })).toBe(true);
    expect(await callTwice({ a: 2 })).toBe(false);
  });

  it('gets another key after an answer, which the service would repeat', async () => {
    failure = null;
    expect(await callTwice({ a: 1 })).toBe(false);
    failure = new ServiceError(502, { code: 'device_error', outcome: 'answered' });
    expect(await callTwice({ a: 1 })).toBe(false);
    failure = new ServiceError(504, { code: 'timeout', outcome: 'unknown' });
    expect(await callTwice({ a: 1 })).toBe(false);
  });
});
