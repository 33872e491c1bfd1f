import type { DeviceRecords } from '@external-api/protocol';

/** Records of the device API, as this device reads them (docs/protocol/device-api.md). */
export type AccountResource = DeviceRecords.Account;
export type AppResource = DeviceRecords.DeveloperApp;
export type ArtifactResource = DeviceRecords.DeviceArtifact;
export type CreatedPairing = DeviceRecords.Pairing;
export type DeviceResource = DeviceRecords.Device;
export type InvocationResource = DeviceRecords.Invocation;
export type KeyGrantResource = DeviceRecords.KeyGrant;
export type MachineResource = DeviceRecords.Machine;
export type MessageResource = DeviceRecords.DeviceMessage;
export type PairingRequest = DeviceRecords.PendingPairing;
export type PairingStatus = DeviceRecords.PairingStatus;
export type PermissionRequestResource = DeviceRecords.DevicePermissionRequest;
export type SessionResource = DeviceRecords.DeviceSession;
export type SignInResult = DeviceRecords.SignedInDevice;
export type TokenResource = DeviceRecords.ExternalToken;
export type TurnResource = DeviceRecords.Turn;

export type ClientDeviceKind = PairingRequest['kind'];

export interface DataEnvelope<T> {
  data: T;
}
