const REPORTS = 'e2e-embedded test/e2e/turns/reports.spec.ts';
const TRANSITIONS = 'unit src/modules/turns/turn-transitions.spec.ts';
const WAIT_RULES = 'unit src/modules/turns/turn-wait-rules.spec.ts';
const WAITS = 'e2e-embedded test/e2e/turns/waits.spec.ts';

/** Turns: reports of devices, waits of callers, and losses. */
export default [
  {
    id: 'N1',
    breaks: 'A repeated report counts as a change.',
    file: 'src/modules/turns/report-turn.service.ts',
    find: 'report.revision > stored.revision &&',
    replace: 'report.revision >= stored.revision &&',
    suites: [REPORTS],
  },
  {
    id: 'N2',
    breaks: 'A late report reopens a turn that has ended.',
    file: 'src/modules/turns/report-turn.service.ts',
    find: ' && isTransitionAllowed(stored.state, report.state)',
    replace: '',
    suites: [REPORTS],
  },
  {
    id: 'N3',
    breaks: 'A queued turn completes without having run.',
    file: 'src/modules/turns/turn-transitions.ts',
    find: "queued: ['queued', 'running', 'cancelled', 'failed'],",
    replace: "queued: ['queued', 'running', 'cancelled', 'failed', 'completed'],",
    suites: [TRANSITIONS],
  },
  {
    id: 'N4',
    breaks: 'A lost turn stays lost, whatever its device reports.',
    file: 'src/modules/turns/turn-transitions.ts',
    find: "if (stored === 'lost') return true;",
    replace: "if (stored === 'lost') return false;",
    suites: [TRANSITIONS],
  },
  {
    id: 'N5',
    breaks: 'Another device of the account changes a turn.',
    file: 'src/modules/turns/report-turn.service.ts',
    find: 'if (stored && stored.device_id !== device.deviceId) {',
    replace: 'if (false) {',
    suites: [REPORTS],
  },
  {
    id: 'N6',
    breaks: 'A call with the current version as `afterVersion` answers at once, so that its caller asks in a loop.',
    file: 'src/modules/turns/turn-wait-rules.ts',
    find: 'return version > afterVersion;',
    replace: 'return version >= afterVersion;',
    suites: [WAIT_RULES],
  },
  {
    id: 'N7',
    breaks: 'A call for a turn that has ended waits for a version that never comes.',
    file: 'src/modules/turns/turn-wait-rules.ts',
    find: 'if (isFinalTurnState(state)) return true;',
    replace: 'if (isFinalTurnState(state) && afterVersion === null) return true;',
    suites: [WAIT_RULES],
  },
  {
    id: 'N8',
    breaks: 'One account may occupy all waits of an instance.',
    file: 'src/core/waits/change-wait-registry.ts',
    find: 'accountCount >= MAX_WAITS_PER_ACCOUNT || ',
    replace: '',
    suites: [WAITS],
  },
  {
    id: 'N9',
    breaks: 'A caller that hangs up occupies its place until its time is up.',
    file: 'src/core/waits/change-waits.service.ts',
    find: "disconnectSignal.addEventListener('abort', end, { once: true });",
    replace: '',
    suites: [WAITS],
  },
  {
    id: 'N10',
    breaks: 'The turn of a connected device is lost.',
    file: 'src/modules/turns/turns.repository.ts',
    find: 'AND p.online IS NOT TRUE AND',
    replace: 'AND',
    suites: ['e2e-embedded test/e2e/turns/loss.spec.ts'],
  },
  {
    id: 'N11',
    breaks: 'A loss replaces what the device has reported meanwhile.',
    file: 'src/modules/turns/turn-loss-recorder.ts',
    find: 'if (!session || !(await this.turns.isAbandoned(sessionId, id, cutoff))) return;',
    replace: 'if (!session) return;',
    suites: ['medium test/medium/postgres/turn-loss-races.spec.ts'],
  },
  {
    id: 'N12',
    breaks: 'A report at another instance is noticed two seconds later.',
    file: 'src/core/redis/change-signals.ts',
    find: 'publishMessage(this.redis, CHANNEL, key)',
    replace: 'publishMessage(this.redis, CHANNEL, key.slice(1))',
    suites: ['medium test/medium/postgres/turn-waits.spec.ts'],
  },
];
