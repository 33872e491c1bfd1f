import { isMissing } from '../../../support/dependencies';
import { createBackend, type Backend } from '../../../support/backend';
import { DeviceSocket } from '../../../support/device/device-socket';
import type { ForeignDevice } from '../../../support/device/foreign-device';
import { findFreePort } from '../../../support/find-free-port';
import { createPushEnv } from '../../../support/push-service';
import { ServiceProcess } from '../../../support/service-process';

const MACHINE_CAPABILITIES = [
  'session.message',
  'session.cancel',
  'session.permission',
  'session.question',
  'permission.message',
  'session.start',
  'session.grant',
  'session.attachments',
  'session.resume',
  'session.options',
  'session.end',
  'agent.sessions',
  'machine.invoke',
  'invocation',
];
/** Results of the machine by method. */
const RELAY_RESULTS: Record<string, object> = {
  'session.permission': { state: 'allowed', optionId: 'o1' },
  'session.cancel': { state: 'cancelled' },
  'session.end': { state: 'ended' },
  'agent.sessions': { sessions: [], nextCursor: null, problems: [] },
  'session.options': { options: [], commands: [] },
  'session.configure': { options: [], commands: [] },
  'session.start': {
    sessionId: 'ses_00000000000000000000000000',
    turn: null,
    grant: { id: 'grt_00000000000000000000000000' },
  },
  'machine.invoke': { exitCode: 0, stdout: 'ok' },
  'invocation.cancel': { state: 'cancelled' },
  'invocation.output': { stream: 'stdout', offset: 0, nextOffset: 0, totalBytes: 0, data: '', eof: false },
};

/** Target of webhook deliveries, which the fuzz tests ignore: a closed port of this machine. */
export const WEBHOOK_BODY = { url: 'https://127.0.0.1:9/hooks', events: ['session.created'] };

export interface FuzzedService {
  backend: Backend;
  service: ServiceProcess;
  /** Log lines of the service. */
  logs: readonly string[];
}

/** Starts a service whose limits a fuzz test doesn't reach. */
export async function startFuzzedService(): Promise<FuzzedService> {
  const backend = await createBackend(isMissing('PostgreSQL', 'Redis') ? 'embedded' : 'services');
  const port = await findFreePort();
  const env = {
    // The audience of grants to the service.
    PUBLIC_URL: `http://127.0.0.1:${port}`,
    RATE_LIMIT_METADATA: '1000000',
    RATE_LIMIT_RELAY: '1000000',
    PLAN_MAX_TOKENS: '10000',
    PLAN_MAX_APPS: '10000',
    PLAN_MAX_WEBHOOKS: '10000',
    // Each caller without a valid credential has its own address and bucket.
    TRUST_PROXY: '1',
    ...createPushEnv(),
    LOG_LEVEL: 'error',
    ...backend.env,
  };
  const logs: string[] = [];
  const service = await ServiceProcess.start(env, { port, onLine: (line) => logs.push(line) });
  return { backend, service, logs };
}

/** Connects the socket of a machine that answers every call with success. */
export function connectFuzzedMachine(machine: ForeignDevice): Promise<DeviceSocket> {
  return DeviceSocket.connect(machine.http.url, machine.token, MACHINE_CAPABILITIES, ({ method }) => ({
    ok: true,
    result: RELAY_RESULTS[method] ?? {},
  }));
}
