/** The reference device as a library; the command line in `main.ts` is made of the same parts. */
export { AccountDevice, type NewToken } from './account-device';
export { ApiError, DeviceRefusedError, UnreachableError } from './api-error';
export type {
  AccountRecord,
  DeviceKind,
  DeviceRecord,
  MachineRecord,
  PairingRequest,
  SessionRecord,
  TokenRecord,
} from './api-records';
export { ContentError, type Content } from './content/content';
export { DeviceContent, type OpenedMessage } from './content/device-content';
export { putArtifact } from './content/put-artifact';
export { EnrollmentError } from './enrollment';
export { grantKey, keyGrants, revokeKeyGrant, type GrantOptions } from './grants/key-grants';
export { parseRecipient, type RecipientKey } from './grants/recipient';
export { ChallengeError } from './identity';
export { defaultKeyFile, KeyFile } from './key-file';
export { MemoryKeyStore, type KeyStore } from './key-store';
export { MachineDevice, type MachineOptions } from './machine-device';
export type { MachineEvent } from './machine-events';
export type { MachineService, ServedIdentity } from './machine/machine-service';
export type { NewDevice } from './new-device';
export { recover } from './recover';
export { DEFAULT_URL, type ServiceAddress } from './service-address';
export { signUp, type SignUpOptions } from './sign-up';
