/**
 * Machine of the reference device in its own process, with the test agent and its outbox and journal on disk, as
 * `npm run device -- machine --agent` runs it. With `REPLIES=echo`, it runs no agent. Reports `{pairing}` with the code
 * to approve, then `{identity}`.
 */
import { join } from 'node:path';
import { FileKeyStore, MachineDevice } from '@external-api/device';
import { AgentProcessPool } from '../../clients/device/src/agent/agent-process-pool';
import { createBenchAgentCommand } from './bench-agent';

const { SERVICE_URL, ACCOUNT, FOLDER, REPLIES } = process.env as Record<string, string>;

async function serveMachine(): Promise<void> {
  const device = await MachineDevice.open({
    url: SERVICE_URL,
    account: ACCOUNT!,
    cwd: FOLDER,
    store: new FileKeyStore(join(FOLDER!, 'keys', 'machine.json')),
    ...(REPLIES !== 'echo' && {
      agents: { commands: [createBenchAgentCommand()], provider: new AgentProcessPool() },
    }),
    onEvent: (event) => {
      if (event.event === 'pairing') process.send!({ pairing: { code: event.code, fingerprint: event.fingerprint } });
      if (event.event === 'agent' || event.event === 'history') process.send!({ error: event.problem });
    },
  });
  await device.pairWithAccount({ pollIntervalMs: 50 });
  const { identity } = await device.startServing();
  process.send!({ identity });
}

serveMachine().catch((error: Error) => process.send!({ error: error.message }));
