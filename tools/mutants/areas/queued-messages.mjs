const OUTCOMES = 'e2e-embedded test/e2e/queued-messages/outcomes.spec.ts';
const SESSION_ENDS = 'e2e-embedded test/e2e/queued-messages/session-ends.spec.ts';
const DELIVERIES_SERVICE = 'src/modules/queued-messages/queued-message-deliveries.service.ts';

/** Queued messages: their order, at most one delivery, and the rights of those who queued them. */
export default [
  {
    id: 'QM1',
    breaks: 'A message overtakes one that waits for its next attempt.',
    file: DELIVERIES_SERVICE,
    find: 'if ((await this.queueDispatch.findHeadId(row.session_id, now)) !== row.id)',
    replace: 'if (row.id === null)',
    suites: [OUTCOMES],
  },
  {
    id: 'QM2',
    breaks: 'A message is sent again after an attempt whose outcome is unknown.',
    file: DELIVERIES_SERVICE,
    find: "await this.endMessage(row, { state: 'unknown' });",
    replace: 'await this.queueDispatch.requeue(row.id, now);',
    suites: [OUTCOMES],
  },
  {
    id: 'QM3',
    breaks: 'A message of a revoked token is delivered.',
    file: DELIVERIES_SERVICE,
    find: '(await this.deliveryRights.lockSendingRights(row, now)) ? null',
    replace: '(await this.deliveryRights.lockSendingRights(row, now)) || row.id ? null',
    suites: [SESSION_ENDS],
  },
  {
    id: 'QM4',
    breaks: 'A device that connects during an attempt waits for the next one.',
    file: DELIVERIES_SERVICE,
    find: "const hasConnected = row.woken && reason === 'no_online_device';",
    replace: 'const hasConnected = false;',
    suites: [OUTCOMES],
  },
  {
    id: 'QM5',
    breaks: 'Messages of an ended session are delivered when it is active again.',
    file: 'src/modules/queued-messages/queued-messages.service.ts',
    find: "else if (row.state === 'queued') await",
    replace: 'else if (row.ended_at) await',
    suites: [SESSION_ENDS],
  },
];
