import { ApiError, WaitTimeoutError } from '../index.ts';
import { describeError } from './describe-error.ts';
import { TurnWaitError, UsageError } from './errors.ts';

type Init = Partial<ConstructorParameters<typeof ApiError>[0]>;
const createError = (init: Init): ApiError => new ApiError({ status: 400, code: 'x', message: 'x', ...init });
const describeCode = (error: Error) => describeError(error, 'http://service.test').exitCode;

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
