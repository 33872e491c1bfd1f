import { approveCommand, denyCommand } from './approve';
import type { Command, OptionSpec } from './command';
import { artifactGetCommand, artifactListCommand, artifactPutCommand } from './artifact';
import { devicesCommand, revokeCommand } from './devices';
import { grantCommand } from './grant';
import { grantsCommand, revokeGrantCommand } from './grants';
import { machineCommand } from './machine';
import { recoverCommand } from './recover';
import { recoveryKeyCommand } from './recovery-key';
import { readCommand, sessionsCommand } from './sessions';
import { signupCommand } from './signup';
import { tokenCreateCommand, tokenListCommand, tokenRevokeCommand } from './token';
import { whoamiCommand } from './whoami';

export const COMMANDS: Command[] = [
  signupCommand,
  approveCommand,
  denyCommand,
  devicesCommand,
  revokeCommand,
  tokenCreateCommand,
  tokenListCommand,
  tokenRevokeCommand,
  sessionsCommand,
  readCommand,
  grantCommand,
  grantsCommand,
  revokeGrantCommand,
  artifactPutCommand,
  artifactGetCommand,
  artifactListCommand,
  recoveryKeyCommand,
  recoverCommand,
  whoamiCommand,
  machineCommand,
];

export const COMMON_OPTIONS: Record<string, OptionSpec> = {
  url: { value: 'URL', help: 'the service (default: the last one used, else http://localhost:3000)' },
  'public-url': { value: 'URL', help: 'what the service calls itself, where that is another URL' },
  'key-file': { value: 'FILE', help: 'default: ~/.config/external-api-device/account.json or machine.json' },
  json: { help: 'answer in JSON' },
  help: { help: 'show this' },
};
