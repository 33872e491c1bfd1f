import type { DeviceRecords } from '@external-api/protocol/portable';

/** Records as account devices read them (docs/protocol/device-api.md#reading-back). */
export type ArtifactMetadata = DeviceRecords.Artifact;
export type ArtifactRecord = DeviceRecords.DeviceArtifact;
export type DeltaRecord = DeviceRecords.DeltaLiveEvent;
export type InvocationRecord = DeviceRecords.Invocation;
export type KeyGrantRecord = DeviceRecords.KeyGrant;
export type MachineRecord = DeviceRecords.Machine;
export type MessageRecord = DeviceRecords.DeviceMessage;
/** `decidedBy` is undefined while it may become known who has decided. */
export type PermissionRecord = Omit<DeviceRecords.DevicePermissionRequest, 'decidedBy'> & {
  decidedBy: DeviceRecords.DevicePermissionRequest['decidedBy'] | undefined;
};
export type PushSubscriptionRecord = DeviceRecords.PushSubscription;
export type SessionRecord = DeviceRecords.DeviceSession;
export type TurnRecord = DeviceRecords.Turn;
