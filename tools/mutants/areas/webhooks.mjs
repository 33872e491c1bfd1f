const SCHEDULE = 'e2e-embedded test/e2e/webhooks/schedule.spec.ts';
const RESULTS = 'e2e-embedded test/e2e/webhooks/attempt-results.spec.ts';
const APPS = 'e2e-embedded test/e2e/webhooks/apps.spec.ts';
const ADDRESSES = 'medium test/medium/webhooks/addresses.spec.ts';
const CIRCUIT_BREAKER = 'src/modules/webhooks/dispatch/circuit-breaker.ts';
const RESULT_WRITER = 'src/modules/webhooks/dispatch/attempt-result-writer.ts';
const RETRY_POLICY = 'src/modules/webhooks/dispatch/retry-policy.ts';
const GUARDED_AGENT = 'src/modules/webhook-sending/guarded-agent.ts';

/** Webhooks: recorded events, schedule, addresses, secrets, subscriptions, leases. */
export default [
  {
    id: 'W1',
    breaks: 'The timestamp of a delivery is in milliseconds.',
    file: 'src/modules/webhook-sending/delivery-headers.ts',
    find: 'String(Math.floor(sentAt / SECOND))',
    replace: 'String(sentAt / SECOND * SECOND)',
    suites: ['unit src/modules/webhook-sending/delivery-headers.spec.ts'],
  },
  {
    id: 'W3',
    breaks: 'Each retry waits as long as the attempt before.',
    file: RETRY_POLICY,
    find: 'this.delaysMs[attemptCount];',
    replace: 'this.delaysMs[attemptCount - 1];',
    suites: ['unit src/modules/webhooks/dispatch/retry-policy.spec.ts'],
  },
  {
    id: 'W4',
    breaks: 'A success does not reset the failures that open the circuit breaker.',
    file: CIRCUIT_BREAKER,
    find: 'if (isSuccessful) return CLOSED_CIRCUIT;',
    replace: 'if (isSuccessful) return { failures, failingSince: null, probeAt: null };',
    suites: ['unit src/modules/webhooks/dispatch/circuit-breaker.spec.ts'],
  },
  {
    id: 'W5',
    breaks: 'Deliveries reach the metadata service of a cloud.',
    file: 'src/modules/webhook-sending/address-policy.ts',
    find: ' || NON_PUBLIC_ADDRESSES.has(address.toString())',
    replace: '',
    suites: ['unit src/modules/webhook-sending/address-policy.spec.ts'],
  },
  {
    id: 'W6',
    breaks: 'A name with one public address also reaches its private ones.',
    file: GUARDED_AGENT,
    find: '!addresses.every(',
    replace: '!addresses.some(',
    suites: [ADDRESSES],
  },
  {
    id: 'W7',
    breaks: 'The service connects to a private IPv6 address before it refuses it.',
    file: GUARDED_AGENT,
    find: 'if (isIP(options.hostname) && ',
    replace: 'if (isIP(options.hostname) === 4 && ',
    suites: [ADDRESSES],
  },
  {
    id: 'W8',
    breaks: 'Events are recorded after the commit, so that a crash loses them.',
    file: 'src/core/events/event-outbox.service.ts',
    find: 'this.unitOfWork.beforeCommit(() => this.writeRows(rows));',
    replace: `this.unitOfWork.beforeCommit(() => Promise.resolve());
    this.unitOfWork.afterCommit(() => void this.writeRows(rows).catch(() => undefined));`,
    suites: ['e2e-embedded test/e2e/webhooks/events.spec.ts'],
  },
  {
    id: 'W9',
    breaks: 'A worker that has lost its lease writes its result.',
    file: RESULT_WRITER,
    find: 'queuesById.get(outcome.webhookId)?.fencingToken === fencingToken',
    replace: 'queuesById.has(outcome.webhookId) && fencingToken',
    suites: [RESULTS],
  },
  {
    id: 'W11',
    breaks: 'An endpoint that fails for days is never disabled, because the start of its failure moves.',
    file: CIRCUIT_BREAKER,
    find: 'failingSince ?? endedAt',
    replace: 'endedAt',
    suites: ['unit src/modules/webhooks/dispatch/circuit-breaker.spec.ts'],
  },
  {
    id: 'W12',
    breaks: 'An app gets deliveries of events that it may not receive.',
    file: 'src/modules/webhooks/dispatch/fan-out-worker.ts',
    find: '&& owner && canReceive(owner, event.type)',
    replace: '&& owner',
    suites: [APPS],
  },
  {
    id: 'W13',
    breaks: 'A rotated secret signs an hour longer than promised.',
    file: 'src/modules/webhooks/dispatch/endpoint-reader.ts',
    find: 'row.old_secret_ends_at.getTime() > this.clock.now()',
    replace: 'row.old_secret_ends_at.getTime() > this.clock.now() - 3_600_000',
    suites: ['e2e-embedded test/e2e/webhooks/webhook-actions.spec.ts'],
  },
  {
    id: 'W14',
    breaks: 'An app subscribes to events of tokens and key grants.',
    file: 'src/modules/event-access/event-access.ts',
    find: "if (appId && requirements.includes('no app'))",
    replace: 'if (false)',
    suites: ['unit src/modules/event-access/event-access.spec.ts'],
  },
  {
    id: 'W15',
    breaks: 'A receiver that asks for a longer wait is ignored.',
    file: RETRY_POLICY,
    find: 'Math.max(delayMs, requestedMs, ',
    replace: 'Math.max(delayMs, ',
    suites: ['unit src/modules/webhooks/dispatch/retry-policy.spec.ts'],
  },
  {
    id: 'W16',
    breaks: 'An endpoint that responds 410 stays active.',
    file: RESULT_WRITER,
    find: 'if (exchange.status === 410) failures',
    replace: 'if (false) failures',
    suites: [SCHEDULE],
  },
  {
    id: 'W17',
    breaks: 'A worker starts attempts that outlast its lease.',
    file: 'src/modules/webhooks/dispatch/endpoint-worker.ts',
    find: 'return this.dependencies.clock.monotonicMs() - this.leasedAt < ',
    replace: 'return 0 < ',
    suites: ['unit src/modules/webhooks/dispatch/endpoint-worker.spec.ts'],
  },
  {
    id: 'W18',
    breaks: 'A delivery is tried again after 410.',
    file: 'src/modules/webhooks/dispatch/attempt-runner.ts',
    find: 'exchange.status === 410 ? null : ',
    replace: '',
    suites: ['e2e-embedded test/e2e/webhooks/schedule.spec.ts'],
  },
  {
    id: 'W19',
    breaks: 'A delivery whose secret is not readable is tried twice a second.',
    file: 'src/modules/webhooks/dispatch/attempt-runner.ts',
    find: 'const UNREADABLE_SECRET_RETRY_MS = 10 * MINUTE;',
    replace: 'const UNREADABLE_SECRET_RETRY_MS = 500;',
    suites: ['e2e-embedded test/e2e/webhooks/attempt-results.spec.ts'],
  },
  {
    id: 'W20',
    breaks: 'An endpoint gets twenty requests at a time.',
    file: 'src/modules/webhooks/dispatch/endpoint-worker.ts',
    find: 'const MAX_CONCURRENT_ATTEMPTS = 10;',
    replace: 'const MAX_CONCURRENT_ATTEMPTS = 20;',
    suites: [
      'unit src/modules/webhooks/dispatch/endpoint-worker.spec.ts',
      'e2e-embedded test/e2e/webhooks/schedule.spec.ts',
    ],
  },
  {
    id: 'W22',
    breaks: 'The circuit breaker opens after eleven failures.',
    file: 'src/modules/webhooks/dispatch/circuit-breaker.ts',
    find: 'failures + 1 >= FAILURES_TO_OPEN',
    replace: 'failures >= FAILURES_TO_OPEN',
    suites: ['unit src/modules/webhooks/dispatch/circuit-breaker.spec.ts'],
  },
];
