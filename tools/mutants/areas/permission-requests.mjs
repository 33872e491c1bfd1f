const REPORTS = 'e2e-embedded test/e2e/permission-requests/reports.spec.ts';
const DECISIONS = 'e2e-embedded test/e2e/permission-requests/decisions.spec.ts';
const DECISION_RACES = 'e2e-embedded test/e2e/permission-requests/decision-races.spec.ts';
const DECISIONS_SERVICE = 'src/modules/permission-requests/permission-decisions.service.ts';

/** Permission requests: reports of devices, and decisions of callers. */
export default [
  {
    id: 'Q1',
    breaks: 'A request is shown as pending after its expiry.',
    file: 'src/modules/permission-requests/permission-requests.service.ts',
    find: 'return toPermissionRequestDto(row, this.clock.currentDate());',
    replace: 'return toPermissionRequestDto(row, row.created_at);',
    suites: [REPORTS],
  },
  {
    id: 'Q2',
    breaks: 'A caller decides on content that they have not been shown.',
    file: DECISIONS_SERVICE,
    find: 'if (computeContentHash(row.content) !== contentHash) throw contentHashConflictError();',
    replace: '',
    suites: [DECISIONS],
  },
  {
    id: 'Q3',
    breaks: 'A caller decides without a key grant.',
    file: 'src/modules/relay/calls/permission-decision.controller.ts',
    find: 'await this.contentReader.requireAccess(caller, { sessionId, artifactId: null, encoding: undefined });',
    replace: '',
    suites: [DECISIONS],
  },
  {
    id: 'Q4',
    breaks: 'The device is asked about a request that has been decided or has expired.',
    file: DECISIONS_SERVICE,
    find: "if (selectShownState(row, this.clock.currentDate()) !== 'pending') throw permissionNotPendingError();",
    replace: '',
    suites: [DECISIONS],
  },
  {
    id: 'Q5',
    breaks: 'A decision replaces the cancellation that the device has reported.',
    file: DECISIONS_SERVICE,
    find: "if (row.state === 'pending') {",
    replace: 'if (row.decided_by === null) {',
    suites: [DECISION_RACES],
  },
  {
    id: 'Q6',
    breaks: 'A later report changes a request that has been decided.',
    file: 'src/modules/permission-requests/report-permission-request.service.ts',
    find: "if (stored.state !== 'pending') return this.confirmState(stored, report);",
    replace: '',
    suites: [DECISION_RACES],
  },
  {
    id: 'Q7',
    breaks: 'A device replaces the content of a request after people have been shown it.',
    file: 'src/modules/permission-requests/report-permission-request.service.ts',
    find: "if (stored.content !== null && stored.content !== report.content) return 'content';",
    replace: '',
    suites: [REPORTS],
  },
  {
    id: 'Q8',
    breaks: '`allow` selects an option that allows everything from then on.',
    file: DECISIONS_SERVICE,
    find: "const KIND_OF_DECISION = { allow: 'allow_once',",
    replace: "const KIND_OF_DECISION = { allow: 'allow_always',",
    suites: [DECISIONS],
  },
  {
    id: 'Q9',
    breaks: 'A decision waits for a slot while messages occupy them all.',
    file: 'src/modules/relay/bus/device-call-limiter.ts',
    find: "['session.cancel', 'session.permission', 'invocation.cancel'];",
    replace: "['session.cancel'];",
    suites: ['unit src/modules/relay/bus/device-call-limiter.spec.ts'],
  },
];
