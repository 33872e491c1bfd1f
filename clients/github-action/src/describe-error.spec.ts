import { ApiError, WaitTimeoutError } from '@external-api/client';
import { describeError } from './describe-error.ts';

type Init = ConstructorParameters<typeof ApiError>[0];

it.each<[string, Init, string]>([
  [
    'what the device answered',
    {
      status: 502,
      code: 'device_error',
      message: 'The device refused.',
      outcome: 'answered',
      requestId: 'req_1',
      problem: { deviceError: { code: 'cwd_not_found', message: 'No such folder.' } } as unknown as Init['problem'],
    },
    'device_error: The device refused. cwd_not_found: No such folder. (req_1)',
  ],
  [
    'that the call may have run',
    { status: 504, code: 'timeout', message: 'Too late.', outcome: 'unknown' },
    'timeout: Too late. It may have run: check its effect. (no request ID)',
  ],
])('an error says %s', (_, init, text) => {
  expect(describeError(new ApiError(init))).toBe(text);
});

it('has the message of any other error', () => {
  expect(describeError(new WaitTimeoutError('Still running.', null))).toBe('Still running.');
  expect(describeError(new Error('Broken.'))).toBe('Broken.');
  expect(describeError('Broken.')).toBe('Broken.');
});
