const KEYS = 'e2e-embedded test/e2e/idempotency/keys.spec.ts';
const OUTCOMES = 'e2e-embedded test/e2e/idempotency/outcomes.spec.ts';
const SERVICE = 'src/access/idempotency/idempotency.service.ts';

/** `Idempotency-Key`: whose key it is, what is replayed, and for how long. */
export default [
  {
    id: 'I1',
    breaks: 'A key that was used on one path replays its response on another.',
    file: SERVICE,
    find: 'identifyKeyOwner(caller), method, path, keyHash',
    replace: 'identifyKeyOwner(caller), method, keyHash',
    suites: [KEYS],
  },
  {
    id: 'I2',
    breaks: 'An app gets the response of another account that used the same key.',
    file: SERVICE,
    find: '`app:${caller.appId}:${caller.accountId}`',
    replace: '`app:${caller.appId}`',
    suites: ['e2e-embedded test/e2e/idempotency/apps.spec.ts'],
  },
  {
    id: 'I3',
    breaks: 'The refusal of a busy device is replayed, so that the call never runs.',
    file: 'src/modules/relay/calls/idempotent-relay-calls.service.ts',
    find: 'if (isNotDelivered(answer)) await',
    replace: 'if (false) await',
    suites: [OUTCOMES],
  },
  {
    id: 'I5',
    breaks: 'While a call runs whose key was free again after 24 hours, a repeat gets the response of the day before.',
    file: 'src/access/idempotency/idempotency.repository.ts',
    find: 'status = NULL, answer = NULL,',
    replace: 'status = NULL,',
    suites: [KEYS],
  },
  {
    id: 'I6',
    breaks: 'A key that was used with another request replays that request’s response.',
    file: SERVICE,
    find: 'if (!timingSafeEqual(existing.requestHash, requestHash))',
    replace: 'if (false)',
    suites: [KEYS],
  },
  {
    id: 'I7',
    breaks: 'A key is taken for 48 hours instead of 24.',
    file: SERVICE,
    find: '24 * HOUR',
    replace: '48 * HOUR',
    suites: [KEYS],
  },
  {
    id: 'I8',
    breaks: 'Stored responses exceed the account’s limit of bytes.',
    file: SERVICE,
    find: 'hasRoom ? sealed : null',
    replace: 'sealed',
    suites: ['e2e-embedded test/e2e/idempotency/stored-response-limit.spec.ts'],
  },
  {
    id: 'I9',
    breaks: 'A call with a key is cancelled when its caller hangs up.',
    file: 'src/modules/relay/calls/relay.service.ts',
    find: 'if (call.audit.keyed) return this.sendCall(call);',
    replace: '',
    suites: [KEYS],
  },
  {
    id: 'I10',
    breaks: 'A late answer does not replace the time-out that was stored.',
    file: 'src/modules/relay/bus/device-connection.ts',
    find: 'if (!this.finishCall(requestId, result)) onLateAnswer(answer);',
    replace: 'this.finishCall(requestId, result);',
    suites: [OUTCOMES],
  },
  {
    id: 'I11',
    breaks: 'A call that is sent again with its key runs again.',
    file: 'src/access/idempotency/idempotency.repository.ts',
    find: 'WHERE idempotency_keys.expires_at <= excluded.created_at',
    replace: 'WHERE idempotency_keys.expires_at IS NOT NULL',
    suites: [KEYS],
  },
];
