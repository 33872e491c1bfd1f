const REPORTS = 'e2e-embedded test/e2e/invocations/reports.spec.ts';
const STARTS = 'e2e-embedded test/e2e/invocations/start.spec.ts';
const LOSS = 'e2e-embedded test/e2e/invocations/loss.spec.ts';
const RECORDER = 'unit src/modules/relay/calls/invocation-recorder.spec.ts';
const RING_FILE = 'programs clients/device/src/invocations/ring-file.spec.ts';
const COMMANDS = 'programs clients/device/src/invocations/invocations.spec.ts';
const RESTART = 'programs clients/device/src/invocations/restart.spec.ts';
const REPORT_SERVICE = 'src/modules/invocations/report-invocation.service.ts';
const RUNNER = 'clients/device/src/invocations/invocation-runner.ts';

/** Invocations: starts, reports and losses in the service, processes and output on the device. */
export default [
  {
    id: 'V1',
    breaks: 'A late report replaces the end of an invocation.',
    file: REPORT_SERVICE,
    find: 'report.revision <= stored.revision || isFinalInvocationState(stored.state)',
    replace: 'report.revision <= stored.revision',
    suites: [REPORTS],
  },
  {
    id: 'V2',
    breaks: 'A repeated report counts as a change.',
    file: REPORT_SERVICE,
    find: 'report.revision <= stored.revision ||',
    replace: 'report.revision < stored.revision ||',
    suites: [REPORTS],
  },
  {
    id: 'V3',
    breaks: 'A machine device reports the invocations of another machine.',
    file: REPORT_SERVICE,
    find: '!== device.deviceId',
    replace: '=== undefined',
    suites: [REPORTS],
  },
  {
    id: 'V4',
    breaks: 'A busy device leaves an invocation that never runs.',
    file: 'src/modules/relay/calls/invocation-recorder.ts',
    find: 'if (isNotDelivered(reply)) {',
    replace: 'if (false) {',
    suites: [RECORDER, STARTS],
  },
  {
    id: 'V5',
    breaks: 'An invocation that its device never reports stays open.',
    file: 'src/modules/invocations/invocations.repository.ts',
    find: "(i.state = 'starting' OR p.online IS NOT TRUE",
    replace: '(p.online IS NOT TRUE',
    suites: [LOSS],
  },
  {
    id: 'V6',
    breaks: 'Output begins with bytes that newer ones have overwritten.',
    file: 'clients/device/src/invocations/ring-file.ts',
    find: 'Math.max(offset, totalBytes - retainedBytes)',
    replace: 'offset',
    suites: [RING_FILE],
  },
  {
    id: 'V7',
    breaks: 'A reader gets bytes that were overwritten while it read.',
    file: 'clients/device/src/invocations/ring-file.ts',
    find: 'const skipped = Math.max(0, oldest - start);',
    replace: 'const skipped = 0;',
    suites: [RING_FILE],
  },
  {
    id: 'V8',
    breaks: 'A machine runs any number of commands at a time.',
    file: RUNNER,
    find: 'activeIds.size >= MAX_RUNNING',
    replace: 'false',
    suites: [COMMANDS],
  },
  {
    id: 'V9',
    breaks: 'The processes that a command leaves behind go on.',
    file: 'clients/device/src/invocations/invocation-run.ts',
    find: 'if (group.isAlive()) await group.terminateGroup(this.graceMs);',
    replace: '',
    suites: [COMMANDS],
  },
  {
    id: 'V10',
    breaks: 'A restart kills a process that only has the number of a command.',
    file: 'clients/device/src/exec/process-identity.ts',
    find: 'if (current?.startedAt !== identity.startedAt) return false;',
    replace: 'if (!current) return false;',
    suites: [RESTART],
  },
  {
    id: 'V11',
    breaks: 'A request that arrives again after a restart starts a second command.',
    file: RUNNER,
    find: 'if (known) return known;',
    replace: '',
    suites: [RESTART],
  },
  {
    id: 'V12',
    breaks: 'The record of a command that its device refused stays open.',
    file: 'src/modules/invocations/invocation-starts.service.ts',
    find: 'if (isFinalInvocationState(stored.state)) return stored;',
    replace: 'if (stored) return stored;',
    suites: ['e2e-embedded test/e2e/invocations/start.spec.ts'],
  },
  {
    id: 'V13',
    breaks: 'The code of a refusal is passed on, though it is not of the protocol.',
    file: 'src/modules/invocations/invocation-starts.service.ts',
    find: "isKnown ? (code as InvocationErrorCode) : 'internal'",
    replace: 'code as InvocationErrorCode',
    suites: ['e2e-embedded test/e2e/invocations/start.spec.ts'],
  },
  {
    id: 'V14',
    breaks: 'An answer that is not a report becomes the record.',
    file: 'src/modules/invocations/invocation-starts.service.ts',
    find: 'if (violations.length > 0) return undefined;',
    replace: '',
    suites: ['e2e-embedded test/e2e/invocations/start.spec.ts'],
  },
  {
    id: 'V15',
    breaks: 'The end of an invocation is announced twice.',
    file: 'src/modules/invocations/report-invocation.service.ts',
    find: 'publishChange(stored.state, next, stored.device_id);\n    return next;',
    replace: `publishChange(stored.state, next, stored.device_id);
    this.changePublisher.publishChange(stored.state, next, null);
    return next;`,
    suites: ['e2e-embedded test/e2e/webhooks/invocation-events.spec.ts'],
  },
  {
    id: 'V16',
    breaks: 'An invocation of another machine is changed by its id.',
    file: 'src/modules/invocations/report-invocation.service.ts',
    find: ' || stored.machine_id !== machineId',
    replace: '',
    suites: ['e2e-embedded test/e2e/invocations/reports.spec.ts'],
  },
  {
    id: 'V17',
    breaks: 'The end of an invocation that its device refused is not announced.',
    file: 'src/modules/invocations/invocation-starts.service.ts',
    find: '      this.changePublisher.publishChange(stored.state, next, stored.device_id);\n',
    replace: '',
    suites: ['e2e-embedded test/e2e/webhooks/invocation-events.spec.ts'],
  },
  {
    id: 'V18',
    breaks: 'The loss of an invocation is not announced.',
    file: 'src/modules/invocations/report-invocation.service.ts',
    find: '      this.changePublisher.publishChange(row.state, next, null);\n',
    replace: '',
    suites: ['e2e-embedded test/e2e/invocations/loss.spec.ts'],
  },
];
