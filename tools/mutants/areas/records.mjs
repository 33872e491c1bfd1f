const ACCOUNT_DELETION = 'medium test/medium/postgres/account-deletion.spec.ts';
const RETENTION = 'e2e-embedded test/e2e/retention.spec.ts';
const USAGE = 'e2e-embedded test/e2e/usage/usage.spec.ts';

/** Retention of rows, and usage counts. */
export default [
  {
    id: 'T1',
    breaks: 'The audit of relayed calls is deleted after three days instead of thirty.',
    file: 'src/modules/relay/relay.module.ts',
    find: 'retentionMs: this.config.retentionDays.relayCalls * DAY',
    replace: 'retentionMs: 3 * DAY',
    suites: [RETENTION],
  },
  {
    id: 'T2',
    breaks: 'Only one batch of expired rows is deleted in ten minutes, so that a backlog grows.',
    file: 'src/core/database/retention.service.ts',
    find: 'if (batch.count === BATCH_SIZE) unfinished',
    replace: 'if (batch.count > BATCH_SIZE) unfinished',
    suites: [RETENTION],
  },
  {
    id: 'T3',
    breaks: 'The log of deliveries is deleted after three days instead of thirty.',
    file: 'src/modules/webhooks/webhooks.module.ts',
    find: 'retentionMs: this.config.retentionDays.deliveries * DAY',
    replace: 'retentionMs: 3 * DAY',
    suites: ['e2e-embedded test/e2e/webhooks/webhook-actions.spec.ts'],
  },
  {
    id: 'T4',
    breaks: 'Stored responses of expired Idempotency-Keys are never deleted.',
    file: 'src/access/idempotency/idempotency.module.ts',
    find: "      { table: 'idempotency_keys', column: 'expires_at', retentionMs: 0 },\n",
    replace: '',
    suites: [RETENTION],
  },
  {
    id: 'U1',
    breaks: 'Counts are lost when the database is away for one write.',
    file: 'src/common/buffered-writer.ts',
    find: 'this.restoreRowsInFlight();\n        const',
    replace: 'this.rowsInFlight.clear();\n        const',
    suites: ['unit src/common/buffered-writer.spec.ts'],
  },
  {
    id: 'U2',
    breaks: 'A call whose caller hung up is not counted.',
    file: 'src/modules/usage/usage.middleware.ts',
    find: "response.once('close'",
    replace: "response.once('finish'",
    suites: [USAGE],
  },
  {
    id: 'U3',
    breaks: 'The hour that begins at the end of the period is counted in it.',
    file: 'src/modules/usage/usage.repository.ts',
    find: 'hour < ${bind(',
    replace: 'hour <= ${bind(',
    suites: [USAGE],
  },
  {
    id: 'U4',
    breaks: 'Client errors are not counted as errors.',
    file: 'src/modules/usage/usage-recorder.ts',
    find: 'status >= 400',
    replace: 'status >= 500',
    suites: [USAGE],
  },
  {
    id: 'AD1',
    breaks: 'Writers of rows of all accounts lock deleted accounts.',
    file: 'src/modules/accounts/accounts.repository.ts',
    find: 'ANY($1) AND deleted_at IS NULL',
    replace: 'ANY($1)',
    suites: [ACCOUNT_DELETION],
  },
  {
    id: 'AD2',
    breaks: 'The cleanup of a deleted account leaves no turn to other work.',
    file: 'src/modules/accounts/deletion/account-cleanup.ts',
    find: 'await yieldToEvents();',
    replace: '',
    suites: ['e2e-embedded test/e2e/account/export-and-deletion.spec.ts'],
  },
  {
    id: 'AD3',
    breaks: 'The username of a deleted account is taken until its last record is deleted.',
    file: 'src/modules/accounts/deletion/account-deletion.repository.ts',
    find: 'SET username = id',
    replace: 'SET username = username',
    suites: [ACCOUNT_DELETION],
  },
  {
    id: 'AD4',
    breaks: 'The events of a deleted account are deleted before its row.',
    file: 'src/modules/accounts/deletion/account-cleanup.ts',
    find: `    await this.auditRecorder.deleteAccountEvents(accountId);
  }`,
    replace: '  }',
    suites: [ACCOUNT_DELETION],
  },
];
