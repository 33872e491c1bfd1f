/** The reference device as a library. The command line in `main.ts` uses the same classes. */
import { join } from 'node:path';

export { AccountDevice, type CreateTokenOptions } from './account-device';
export { ApiResponseError, DeviceRejectedError, UnreachableError } from './client-errors';
export type {
  AccountResource,
  ClientDeviceKind,
  DeviceResource,
  MachineResource,
  PairingRequest,
  SessionResource,
  TokenResource,
} from './api-resources';
export { collectAgent, createAgentOptions } from './cli/agent-options';
export type { NamedCommand } from './cli/agent-settings';
export { ContentError, type Content } from '@external-api/protocol';
export { DeviceContentClient, type OpenedMessage } from './content/device-content-client';
export { putArtifact } from './content/put-artifact';
export { EnrollmentError } from './enrollment';
export { createKeyGrant, listKeyGrants, revokeKeyGrant, type KeyGrantOptions } from './grants/key-grants';
export { parseRecipientPublicKey, type RecipientPublicKey } from '@external-api/protocol';
export { ChallengeError } from './key-proof';
export { killAllProcessGroups } from './exec/process-group';
export { getDefaultKeyFilePath, FileKeyStore } from './file-key-store';
export { MemoryKeyStore, type KeyStore } from './key-store';
export { MachineDevice, type MachineOptions } from './machine-device';
export type { AgentOptions } from './sessions/agent-runtime';
export type { MachineEvent } from './machine-events';
export type { MachineRunner, MachineIdentity } from './machine/machine-runner';
export type { NewDeviceOptions } from './new-device-options';
export { recoverAccount } from './recover-account';
export { DEFAULT_SERVICE_URL, type ServiceAddress } from './service-address';
export { signUp, type SignUpOptions } from './sign-up';
export { runWithTimeLimit } from './time-limit';

/** Program of the test agent of a build, an agent without a model (README.md). */
export const TEST_AGENT_FILE = join(__dirname, 'agent', 'test-agent', 'main.js');
