import { ApiError, ConnectionError, WaitTimeoutError } from '../index.ts';
import { describeError } from './describe-error.ts';
import { TurnWaitError, UsageError } from './errors.ts';

type Init = Partial<ConstructorParameters<typeof ApiError>[0]>;
const createError = (init: Init): ApiError => new ApiError({ status: 400, code: 'x', message: 'x', ...init });
const HOST = 'http://service.test';
const describeCode = (error: Error) => describeError(error, HOST).exitCode;

describe('the exit code', () => {
  it.each<[string, Init, number]>([
    ['that was refused', { status: 404 }, 1],
    ['that the device has answered with an error', { status: 502, outcome: 'answered' }, 1],
    ['that was not delivered', { status: 503, outcome: 'not_delivered' }, 4],
    ['that was limited', { status: 429 }, 4],
    ['with an unknown outcome', { status: 504, outcome: 'unknown' }, 5],
    ['that only reads, which something else answered', { status: 404, code: 'unexpected_response' }, 1],
    ['that something else answered', { status: 404, code: 'unexpected_response', outcome: 'unknown' }, 5],
    ['whose connection was lost', { status: 0, outcome: 'unknown' }, 5],
    ['that only reads, whose connection was lost', { status: 0 }, 1],
  ])('of a call %s', (_, init, exitCode) => {
    expect(describeCode(createError(init))).toBe(exitCode);
  });

  it('tells wrong use and the end of the time from failures', () => {
    expect(describeCode(new UsageError('x'))).toBe(2);
    expect(describeCode(new WaitTimeoutError('x', null))).toBe(124);
    expect(describeCode(new Error('x'))).toBe(1);
  });

  it('of a wait for a turn does not say that nothing ran', () => {
    const ids = { sessionId: 's', turnId: 't' };
    expect(describeCode(new TurnWaitError(createError({ status: 429 }), ids))).toBe(1);
    expect(describeCode(new TurnWaitError(createError({ status: 504, outcome: 'unknown' }), ids))).toBe(5);
  });
});

describe('the way out of an error', () => {
  const findHint = (init: Init) => describeError(createError(init), HOST).hint;

  it.each([
    ['missing_token', 'Run: xapi login'],
    ['invalid_token', 'Create a token in the console, then run: xapi login'],
    ['machine_not_allowed', 'see xapi whoami'],
    ['no_content_grant', 'xapi-device grant SESSION --token tok_…'],
    ['no_online_device', '--retry-for 5m'],
    ['rate_limited', 'xapi whoami'],
    ['idempotency_key_reused', 'Use another --idempotency-key'],
    ['session_not_active', 'xapi start MACHINE'],
  ])('of the service: %s', (code, hint) => {
    expect(findHint({ code })).toContain(hint);
  });

  it.each([
    ['command_not_found', 'no such program'],
    ['permission_denied', 'may not run it'],
    ['cwd_not_found', 'does not exist on the machine'],
    ['cwd_not_allowed', 'does not allow this folder'],
    ['agent_not_found', 'xapi machines show MACHINE'],
    ['mode_not_found', 'no such mode'],
    ['attachment_unsupported', 'can not pass the files on'],
    ['option_not_found', 'xapi options SESSION'],
    ['option_value_not_found', 'xapi options SESSION OPTION'],
    ['options_unknown', 'xapi send SESSION'],
    ['agent_start_failed', 'as the user of the device'],
    ['agent_mode_unsafe', 'known to ask'],
  ])('of a device: %s', (code, hint) => {
    const problem = { deviceError: { code, message: 'x' } } as unknown as Init['problem'];
    expect(findHint({ status: 502, code: 'device_error', outcome: 'answered', problem })).toContain(hint);
  });

  it('names the scopes that are missing, and the session that is there already', () => {
    const withProblem = (code: string, problem: object) => findHint({ code, problem: problem as Init['problem'] });
    expect(withProblem('insufficient_scope', { required: ['machines:read', 'machines:invoke'] })).toBe(
      'Create a token with machines:read, machines:invoke in the console, then run: xapi login',
    );
    const deviceError = { code: 'session_exists', message: 'x', sessionId: 'ses_7' };
    expect(withProblem('device_error', { deviceError })).toBe('Go on in that session: xapi send ses_7 "…" --wait');
  });

  it('names the key of a call that may have run', () => {
    const error = createError({ status: 504, code: 'timeout', outcome: 'unknown' });
    error.idempotencyKey = 'k-7';
    expect(describeError(error, HOST).hint).toContain('repeat it with: --idempotency-key k-7');
  });
});

describe('a connection that failed', () => {
  it.each([
    ['ENOTFOUND', 'unreachable', 4, 'There is no host with this name.'],
    ['EAI_AGAIN', 'unreachable', 4, 'This computer may have no network.'],
    ['ENETUNREACH', 'unreachable', 4, 'This computer has no network.'],
    ['EHOSTUNREACH', 'unreachable', 4, 'There is no route to it.'],
    ['ETIMEDOUT', 'unreachable', 4, "It doesn't answer."],
    ['CERT_HAS_EXPIRED', 'tls', 4, 'Its certificate has expired.'],
    ['CERT_NOT_YET_VALID', 'tls', 4, 'Its certificate is not valid yet.'],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'tls', 4, 'Its certificate is for another name.'],
    ['SELF_SIGNED_CERT_IN_CHAIN', 'tls', 4, 'Its certificate is not trusted.'],
    ['ECONNRESET', 'connection_lost', 1, 'was lost.'],
  ])('with %s says why, and whether anything was sent', (socketCode, code, exitCode, reason) => {
    const cause = Object.assign(new Error('x'), { code: socketCode });
    const description = describeError(new TypeError('fetch failed', { cause }), HOST);
    expect(description).toMatchObject({ code, exitCode, message: expect.stringContaining(reason) });
    expect(description.outcome).toBe(exitCode === 4 ? 'not_delivered' : undefined);
  });

  it.each(['ETIMEDOUT', 'EADDRNOTAVAIL', 'EHOSTUNREACH'])(
    'with %s while it was open may have sent the call',
    (code) => {
      const cause = Object.assign(new Error('x'), { code, syscall: 'read' });
      const error = new ConnectionError('x', 'unknown', new TypeError('fetch failed', { cause }));
      const lost = { code: 'connection_lost', exitCode: 5, outcome: 'unknown' };
      expect(describeError(error, HOST)).toMatchObject(lost);
    },
  );

  it('in the last attempt says why, and that the call may have run in an earlier one', () => {
    const cause = Object.assign(new Error('x'), { code: 'ECONNREFUSED' });
    const error = createError({ status: 0, code: 'connection_failed', outcome: 'unknown', cause });
    error.idempotencyKey = 'k-7';
    const description = describeError(error, HOST);
    expect(description).toMatchObject({ code: 'unreachable', exitCode: 5, outcome: 'unknown' });
    expect(description.hint).toContain('repeat it with: --idempotency-key k-7');
  });
});
