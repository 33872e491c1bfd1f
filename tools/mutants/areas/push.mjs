const MESSAGES = 'e2e-embedded test/e2e/push-subscriptions/messages.spec.ts';
const SUBSCRIPTIONS = 'e2e-embedded test/e2e/push-subscriptions/subscriptions.spec.ts';
const SIGN_OUT = 'e2e-embedded test/e2e/console/notifications.spec.ts';
const SENDER = 'unit src/modules/push-subscriptions/push-sender.spec.ts';
const NOTICES_FILE = 'src/modules/push-subscriptions/push-notices.repository.ts';
const SENDER_FILE = 'src/modules/push-subscriptions/push-sender.ts';
const SUBSCRIPTIONS_FILE = 'src/modules/push-subscriptions/push-subscriptions.repository.ts';

/** Notifications of browsers: who gets them, when, how often, and when they end. */
export default [
  {
    id: 'PS1',
    breaks: 'Browsers that subscribed with an earlier key of the service get messages that push services refuse.',
    file: NOTICES_FILE,
    find: ' AND server_key = $7 ORDER BY id',
    replace: ' AND $7::text IS NOT NULL ORDER BY id',
    suites: [MESSAGES],
  },
  {
    id: 'PS2',
    breaks: 'The list has subscriptions with an earlier key, so that their browsers do not subscribe again.',
    file: SUBSCRIPTIONS_FILE,
    find: ', `r.server_key = ${bind(serverKey)}`',
    replace: '',
    suites: [MESSAGES],
  },
  {
    id: 'PS3',
    breaks: 'An event is lost that comes during the attempt for the one before.',
    file: NOTICES_FILE,
    find: 'AND session_id = $2 AND event = $3 AND record_id = $4 AND attempts > 0',
    replace: 'AND session_id = $2 AND $3::text <> $4::text',
    suites: [MESSAGES],
  },
  {
    id: 'PS4',
    breaks: 'The attempts for an earlier event of the session count for a later one.',
    file: NOTICES_FILE,
    find: 'expires_at = excluded.expires_at, attempts = 0,',
    replace: 'expires_at = excluded.expires_at,',
    suites: [MESSAGES],
  },
  {
    id: 'PS5',
    breaks: 'A browser that has changed its account gets messages of both.',
    file: SUBSCRIPTIONS_FILE,
    find: 'device_id = $1 OR endpoint_hash = $2',
    replace: 'device_id = $1 AND $2::bytea IS NOT NULL',
    suites: [SUBSCRIPTIONS],
  },
  {
    id: 'PS6',
    breaks: 'No browser of an account with 50 subscriptions can replace its own.',
    file: SUBSCRIPTIONS_FILE,
    find: 'account_id = $1 AND device_id <> $2',
    replace: 'account_id = $1 AND $2::text IS NOT NULL',
    suites: [SUBSCRIPTIONS],
  },
  {
    id: 'PS7',
    breaks: 'A notice is sent after its request has expired.',
    file: SENDER_FILE,
    find: "if (notice.expires_at.getTime() <= now) return this.endNotice(notice, 'dropped');",
    replace: '',
    suites: [SENDER],
  },
  {
    id: 'PS8',
    breaks: 'Messages go to hosts that the operator no longer allows.',
    file: SENDER_FILE,
    find: ' || !isAllowedPushHost(target.endpoint, push.allowHosts)',
    replace: '',
    suites: [SENDER],
  },
  {
    id: 'PS9',
    breaks: 'A message is repeated that the push service has refused.',
    file: SENDER_FILE,
    find: 'status >= 500;',
    replace: 'status >= 400;',
    suites: [SENDER],
  },
  {
    id: 'PS10',
    breaks: 'A wait that the push service asks for is ignored.',
    file: SENDER_FILE,
    find: 'Math.max(delayMs, parseRetryAfterMs(retryAfter, now))',
    replace: 'delayMs',
    suites: [SENDER],
  },
  {
    id: 'PS11',
    breaks: 'The message that closes a decided request wakes a phone as urgently as the request.',
    file: SENDER_FILE,
    find: "event === 'permission.requested' ? 'high'",
    replace: "event.startsWith('permission.') ? 'high'",
    suites: [SENDER],
  },
  {
    id: 'PS12',
    breaks: 'A browser gets notifications of a device that is revoked.',
    file: 'src/modules/push-subscriptions/push-subscriptions.service.ts',
    find: 'this.devices.onRevocation((deviceId) => this.subscriptions.deleteByDevice(deviceId));',
    replace: '',
    suites: [SUBSCRIPTIONS],
  },
  {
    id: 'PS13',
    breaks: 'Browsers that were signed out everywhere go on to be notified.',
    file: 'src/modules/push-subscriptions/push-subscriptions.service.ts',
    find: 'deviceId === null ? this.subscriptions.deleteByAccount(accountId) : this.subscriptions',
    replace: 'this.subscriptions',
    suites: [SIGN_OUT],
  },
  {
    id: 'PS14',
    breaks: 'A browser turns notifications on while it is signed out.',
    file: 'src/modules/push-subscriptions/push-subscriptions.service.ts',
    find: 'await this.deviceTokens.requireToken(tokenHash);',
    replace: '',
    suites: [SIGN_OUT],
  },
];
