import { CreateAccountsAndDevices1795132800000 } from './1795132800000-create-accounts-and-devices';
import { CreateExternalTokens1795132801000 } from './1795132801000-create-external-tokens';
import { CreateMachinesAndSessions1795132802000 } from './1795132802000-create-machines-and-sessions';
import { CreateRelayCallsAndIdempotency1795132803000 } from './1795132803000-create-relay-calls-and-idempotency';
import { CreateMessagesAndArtifacts1795132804000 } from './1795132804000-create-messages-and-artifacts';
import { CreateUsageCounts1795132805000 } from './1795132805000-create-usage-counts';
import { CreateDeviceRevocations1795132806000 } from './1795132806000-create-device-revocations';
import { CreateInstances1795132810000 } from './1795132810000-create-instances';
import { CreateDeveloperApps1795132812000 } from './1795132812000-create-developer-apps';
import { CreateOAuth1795132813000 } from './1795132813000-create-oauth';
import { CreateKeyGrants1795132814000 } from './1795132814000-create-key-grants';
import { CreateWebhooks1795132816000 } from './1795132816000-create-webhooks';
import { AddAnnouncements1795132816100 } from './1795132816100-add-announcements';
import { AddTraceparents1795132817000 } from './1795132817000-add-traceparents';
import { AddAccountStanding1795132818000 } from './1795132818000-add-account-standing';
import { AddSignedOutAt1795132819000 } from './1795132819000-add-signed-out-at';
import { AddWebhookRemains1795132820000 } from './1795132820000-add-webhook-remains';
import { AddUsageAgeIndex1795132821000 } from './1795132821000-add-usage-age-index';
import { CountStorageWhole1795132822000 } from './1795132822000-count-storage-whole';
import { RenameWebhookQueueTables1795367824000 } from './1795367824000-rename-webhook-queue-tables';
import { CreateTurns1795392000000 } from './1795392000000-create-turns';
import { AddMessageTurns1795392010000 } from './1795392010000-add-message-turns';
import { IndexMessageTurns1795392020000 } from './1795392020000-index-message-turns';
import { AddMachineAgents1795392060000 } from './1795392060000-add-machine-agents';
import { CreatePermissionRequests1795395600000 } from './1795395600000-create-permission-requests';
import { AddCallingDevices1795399200000 } from './1795399200000-add-calling-devices';
import { CreateEventLog1795410000000 } from './1795410000000-create-event-log';
import { CreateQueuedMessages1795420000000 } from './1795420000000-create-queued-messages';
import { CreateInvocations1795430000000 } from './1795430000000-create-invocations';
import { IndexAccountPermissionRequests1795440000000 } from './1795440000000-index-account-permission-requests';
import { AddRelayCallTimeouts1795440020000 } from './1795440020000-add-relay-call-timeouts';
import { IndexRelayCalls1795440030000 } from './1795440030000-index-relay-calls';
import { AddTokenAddresses1795450000000 } from './1795450000000-add-token-addresses';
import { AddAttemptHeaders1795450010000 } from './1795450010000-add-attempt-headers';
import { VersionWebhookQueues1795460000000 } from './1795460000000-version-webhook-queues';
import { IndexForeignKeys1795460010000 } from './1795460010000-index-foreign-keys';
import { IndexExportedKeyGrants1795460020000 } from './1795460020000-index-exported-key-grants';
import { CreateAuditEvents1795460100000 } from './1795460100000-create-audit-events';
import { AddAppSuspension1795470800000 } from './1795470800000-add-app-suspension';
import { CreateServiceModes1795470810000 } from './1795470810000-create-service-modes';
import { AddAccountDeletion1795474800000 } from './1795474800000-add-account-deletion';
import { IndexDeletedAccounts1795474810000 } from './1795474810000-index-deleted-accounts';
import { CreateTaskTurns1795485000000 } from './1795485000000-create-task-turns';
import { ReduceDeliveryIndexes1795485010000 } from './1795485010000-reduce-delivery-indexes';
import { CreateDevicePresence1795490000000 } from './1795490000000-create-device-presence';
import { AddInstanceGeneration1795490001000 } from './1795490001000-add-instance-generation';
import { CopyAnnouncedStates1795490002000 } from './1795490002000-copy-announced-states';
import { CopyDevicePresence1795490003000 } from './1795490003000-copy-device-presence';
import { ReserveSessionSpace1795490010000 } from './1795490010000-reserve-session-space';
import { CreateWebhookBacklog1795500000000 } from './1795500000000-create-webhook-backlog';
import { CreateEventUsage1795510000000 } from './1795510000000-create-event-usage';
import { AddTokenMachines1795520000000 } from './1795520000000-add-token-machines';
import { CreateOutboxBatches1795530000000 } from './1795530000000-create-outbox-batches';
import { CompressWebhookBacklog1795530010000 } from './1795530010000-compress-webhook-backlog';
import { AddTurnOrigins1795530030000 } from './1795530030000-add-turn-origins';
import { AddTurnCosts1795530040000 } from './1795530040000-add-turn-costs';
import { AddTurnActivity1795530050000 } from './1795530050000-add-turn-activity';
import { CreatePushSubscriptions1795530060000 } from './1795530060000-create-push-subscriptions';
import { AddWebhookFormats1795530070000 } from './1795530070000-add-webhook-formats';
import { AddDeviceRenames1795530085000 } from './1795530085000-add-device-renames';
import { SortUsageAges1795530090000 } from './1795530090000-sort-usage-ages';
import { EstimateQueueVersions1795530095000 } from './1795530095000-estimate-queue-versions';

/** All migrations, in order. Released migrations must not be edited. */
export const migrations = [
  CreateAccountsAndDevices1795132800000,
  CreateExternalTokens1795132801000,
  CreateMachinesAndSessions1795132802000,
  CreateRelayCallsAndIdempotency1795132803000,
  CreateMessagesAndArtifacts1795132804000,
  CreateUsageCounts1795132805000,
  CreateDeviceRevocations1795132806000,
  CreateInstances1795132810000,
  CreateDeveloperApps1795132812000,
  CreateOAuth1795132813000,
  CreateKeyGrants1795132814000,
  CreateWebhooks1795132816000,
  AddAnnouncements1795132816100,
  AddTraceparents1795132817000,
  AddAccountStanding1795132818000,
  AddSignedOutAt1795132819000,
  AddWebhookRemains1795132820000,
  AddUsageAgeIndex1795132821000,
  CountStorageWhole1795132822000,
  RenameWebhookQueueTables1795367824000,
  CreateTurns1795392000000,
  AddMessageTurns1795392010000,
  IndexMessageTurns1795392020000,
  AddMachineAgents1795392060000,
  CreatePermissionRequests1795395600000,
  AddCallingDevices1795399200000,
  CreateEventLog1795410000000,
  CreateQueuedMessages1795420000000,
  CreateInvocations1795430000000,
  IndexAccountPermissionRequests1795440000000,
  AddRelayCallTimeouts1795440020000,
  IndexRelayCalls1795440030000,
  AddTokenAddresses1795450000000,
  AddAttemptHeaders1795450010000,
  VersionWebhookQueues1795460000000,
  IndexForeignKeys1795460010000,
  IndexExportedKeyGrants1795460020000,
  CreateAuditEvents1795460100000,
  AddAppSuspension1795470800000,
  CreateServiceModes1795470810000,
  AddAccountDeletion1795474800000,
  IndexDeletedAccounts1795474810000,
  CreateTaskTurns1795485000000,
  ReduceDeliveryIndexes1795485010000,
  CreateDevicePresence1795490000000,
  AddInstanceGeneration1795490001000,
  CopyAnnouncedStates1795490002000,
  CopyDevicePresence1795490003000,
  ReserveSessionSpace1795490010000,
  CreateWebhookBacklog1795500000000,
  CreateEventUsage1795510000000,
  AddTokenMachines1795520000000,
  CreateOutboxBatches1795530000000,
  CompressWebhookBacklog1795530010000,
  AddTurnOrigins1795530030000,
  AddTurnCosts1795530040000,
  AddTurnActivity1795530050000,
  CreatePushSubscriptions1795530060000,
  AddWebhookFormats1795530070000,
  AddDeviceRenames1795530085000,
  SortUsageAges1795530090000,
  EstimateQueueVersions1795530095000,
];
