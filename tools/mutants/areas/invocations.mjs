const REPORTS = 'e2e-embedded test/e2e/invocations/reports.spec.ts';
const STARTS = 'e2e-embedded test/e2e/invocations/start.spec.ts';
const LOSS = 'e2e-embedded test/e2e/invocations/loss.spec.ts';
const RECORDER = 'unit src/modules/relay/calls/invocation-recorder.spec.ts';
const RING_FILE = 'programs src/programs/device/invocations/ring-file.spec.ts';
const COMMANDS = 'programs src/programs/device/invocations/invocations.spec.ts';
const RESTART = 'programs src/programs/device/invocations/restart.spec.ts';
const REPORT_SERVICE = 'src/modules/invocations/report-invocation.service.ts';
const RUNNER = 'src/programs/device/invocations/invocation-runner.ts';

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
    find: "getCallOutcome(response) === 'not_delivered'",
    replace: 'false',
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
    file: 'src/programs/device/invocations/ring-file.ts',
    find: 'Math.max(offset, totalBytes - retainedBytes)',
    replace: 'offset',
    suites: [RING_FILE],
  },
  {
    id: 'V7',
    breaks: 'A reader gets bytes that were overwritten while it read.',
    file: 'src/programs/device/invocations/ring-file.ts',
    find: 'const skipped = Math.max(0, oldest - start);',
    replace: 'const skipped = 0;',
    suites: [RING_FILE],
  },
  {
    id: 'V8',
    breaks: 'A machine runs any number of commands at a time.',
    file: RUNNER,
    find: 'this.runs.size + this.startingIds.size >= MAX_RUNNING',
    replace: 'false',
    suites: [COMMANDS],
  },
  {
    id: 'V9',
    breaks: 'The processes that a command leaves behind go on.',
    file: 'src/programs/device/invocations/invocation-run.ts',
    find: 'if (group.isAlive()) await group.terminateGroup(this.graceMs);',
    replace: '',
    suites: [COMMANDS],
  },
  {
    id: 'V10',
    breaks: 'A restart kills a process that only has the number of a command.',
    file: 'src/programs/device/exec/process-identity.ts',
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
];
