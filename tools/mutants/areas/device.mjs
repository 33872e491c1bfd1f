const HANDLER_SPEC = 'unit src/programs/device/machine/relay-request-handler.spec.ts';
const SERVE = 'unit src/programs/device/machine/serve.spec.ts';
const HANDLER = 'src/programs/device/machine/relay-request-handler.ts';

/** The reference device. */
export default [
  {
    id: 'X1',
    breaks: 'The device judges deadlines by its own clock.',
    file: HANDLER,
    find: 'if (this.clock.now() >= deadline)',
    replace: 'if (Date.now() >= deadline)',
    suites: [SERVE],
  },
  {
    id: 'X3',
    breaks: 'Long output is captured in the wrong order.',
    file: 'src/programs/device/exec/output-buffer.ts',
    find: 'const oldest = this.tailBytesWritten % this.tailLimit;',
    replace: 'const oldest = 0;',
    suites: ['unit src/programs/device/exec/output-buffer.spec.ts'],
  },
  {
    id: 'X4',
    breaks: 'A request that is repeated shortly before its deadline runs twice.',
    file: HANDLER,
    find: 'deadline + COMPLETED_ID_MARGIN_MS',
    replace: 'deadline - COMPLETED_ID_MARGIN_MS',
    suites: [HANDLER_SPEC],
  },
  {
    id: 'X5',
    breaks: 'Commands see the secrets in the device’s environment.',
    file: 'src/programs/device/exec/execute-command.ts',
    find: '.filter(([name]) => ALLOWED_VARIABLE_NAMES.test(name))',
    replace: '',
    suites: ['unit src/programs/device/exec/execute-command.spec.ts'],
  },
  {
    id: 'X6',
    breaks: 'A call runs although its cancellation arrived before it.',
    file: 'src/programs/device/machine/cancellation-registry.ts',
    find: 'this.earlyCancellations.add(requestId, this.now() + EARLY_CANCELLATION_TTL_MS);',
    replace: '',
    suites: ['unit src/programs/device/machine/cancellation-registry.spec.ts'],
  },
  {
    id: 'X7',
    breaks: 'A request that is repeated while it runs runs twice.',
    file: HANDLER,
    find: 'if (runningAnswer) return runningAnswer;',
    replace: '',
    suites: [SERVE],
  },
  {
    id: 'X8',
    breaks: 'A device that is stopping starts more commands.',
    file: HANDLER,
    find: 'if (this.isStopping) return',
    replace: 'if (false) return',
    suites: [HANDLER_SPEC],
  },
  {
    id: 'X9',
    breaks: 'Truncated output may end within a character.',
    file: 'src/programs/device/exec/truncation.ts',
    find: 'getSequenceLength(byte) > offsetFromEnd',
    replace: 'getSequenceLength(byte) > 4',
    suites: ['unit src/programs/device/exec/output-buffer.spec.ts'],
  },
];
