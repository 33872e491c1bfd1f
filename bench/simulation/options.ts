/** A number that the simulation is given, and where it stands: in the code, or nowhere but here. */
export interface Setting {
  value: number;
  means: string;
  /** `file: text`, the text being part of the file; none where it is an assumption. */
  source?: string;
}

const DEVICE = 'src/reference-device/machine';
const GATEWAY = 'src/relay/gateway/device.gateway.ts';
const POOL = 'src/persistence/data-source.ts';
const BALANCER = 'deploy/haproxy.cfg';
const DRAIN = 'src/relay/drain.ts';

/** Everything but what is measured (docs/figures/constants.json). Each may be given as `--name value`. */
export const SETTINGS = {
  devices: { value: 1_000_000, means: 'connected devices' },
  instances: { value: 100, means: 'instances of the service, a core each' },
  seed: { value: 1, means: 'of the random numbers' },
  tickMs: { value: 5, means: 'step of the simulation' },
  maxSeconds: { value: 900, means: 'after which it is given up' },
  load: { value: 0.3, means: 'share of every processor that other traffic takes' },
  postgresCores: { value: 16, means: 'cores of the PostgreSQL server' },
  acceptShare: { value: 0.5, means: "part of a reconnect's CPU before its look-ups" },
  lost: { value: 1, means: 'instances that end at once; all of them: every socket is cut and they live' },
  silent: { value: 0, means: '1: devices are not told, and find out by their pings' },
  restartMs: { value: 30_000, means: 'after which an instance that was killed is back' },
  bootMs: { value: 10_000, means: 'from the end of an instance to the readiness of its successor' },
  batch: { value: 1, means: 'instances that a deploy replaces at a time' },
  randomBalance: {
    value: 0,
    means: '1: the less loaded of two instances at random, instead of the least loaded',
  },
  spreadFirstMs: { value: 0, means: 'a further wait before the first attempt after a loss, from 0 to this' },
  firstBackoffMs: { value: 500, means: 'first wait, whole', source: `${DEVICE}/backoff.ts: baseMs = 500` },
  maxBackoffMs: { value: 30_000, means: 'longest wait', source: `${DEVICE}/backoff.ts: maxMs = 30_000` },
  backoffFloor: {
    value: 0.5,
    means: 'part of a wait that is not random',
    source: `${DEVICE}/backoff.ts: full / 2 + (Math.random() * full) / 2`,
  },
  stableMs: {
    value: 10_000,
    means: 'a connection that lived as long begins with short waits again',
    source: `${DEVICE}/device-link.ts: STABLE_MS = 10_000`,
  },
  helloWithinMs: {
    value: 10_000,
    means: 'a device gives a handshake up',
    source: `${DEVICE}/connection.ts: READY_WITHIN_MS = 10_000`,
  },
  pingIntervalMs: { value: 10_000, means: 'between pings', source: `${GATEWAY}: pingInterval: 10_000` },
  pingTimeoutMs: { value: 10_000, means: 'without one', source: `${GATEWAY}: pingTimeout: 10_000` },
  poolSize: { value: 20, means: 'connections to PostgreSQL of an instance', source: `${POOL}: max: 20` },
  poolWaitMs: {
    value: 5_000,
    means: 'after which waiting for one fails',
    source: `${POOL}: connectionTimeoutMillis: 5_000`,
  },
  commandMs: {
    value: 1_000,
    means: 'an instance waits for Redis; a handshake goes on without it',
    source: 'src/relay/bus/redis/redis-link.ts: COMMAND_MS = 1_000',
  },
  gate: {
    value: 12,
    means: 'handshakes of an instance that use the database at a time; 0: as many as come',
    source: 'src/relay/gateway/handshake.ts: AT_ONCE = 12',
  },
  gateQueue: {
    value: 1_000,
    means: 'handshakes that may wait for it; more are refused',
    source: 'src/relay/gateway/handshake.ts: MAX_WAITING = 1_000',
  },
  presenceAtOnce: {
    value: 2,
    means: 'writes of presence that an instance has under way; 0: as many as come',
    source: 'src/relay/gateway/presence-reporter.ts: AT_ONCE = 2',
  },
  presenceRetryMs: {
    value: 1_000,
    means: 'after which presence that was not written is written again; 0: never',
    source: 'src/relay/gateway/presence-reporter.ts: RETRY_MS = 1_000',
  },
  backlog: { value: 511, means: "connections that wait to be accepted: Node's default" },
  balancerConnectMs: {
    value: 1_000,
    means: 'the balancer waits to be accepted',
    source: `${BALANCER}: timeout connect 1s`,
  },
  balancerRetries: { value: 3, means: 'further instances that it tries', source: `${BALANCER}: retries 3` },
  balancerCheckMs: {
    value: 1_000,
    means: 'it notices a drain',
    source: `${BALANCER}: check inter 1s fall 1`,
  },
  slowStartMs: {
    value: 60_000,
    means: 'in which an instance that is back comes to its full share of sockets; 0: at once',
    source: `${BALANCER}: slowstart 60s`,
  },
  drainNoticeMs: { value: 5_000, means: 'a drain lasts at least', source: `${DRAIN}: NOTICE_MS = 5_000` },
  drainMsPerDevice: {
    value: 10,
    means: 'between two devices that leave',
    source: `${DRAIN}: MS_PER_DEVICE = 10`,
  },
  drainSpreadMs: {
    value: 15_000,
    means: 'in which all of an instance are asked to leave',
    source: `${DRAIN}: MAX_SPREAD_MS = 15_000`,
  },
  leaveWithinMs: {
    value: 5_000,
    means: 'the last one has to leave',
    source: `${DRAIN}: LEAVE_WITHIN_MS = 5_000`,
  },
} satisfies Record<string, Setting>;

export type Options = Record<keyof typeof SETTINGS, number>;

/** @throws Error naming what is no number or no setting */
export function optionsOf(given: Partial<Record<string, string | number>> = {}): Options {
  const options = Object.fromEntries(Object.entries(SETTINGS).map(([name, { value }]) => [name, value])) as Options;
  for (const [name, text] of Object.entries(given)) {
    const value = Number(text);
    if (!(name in SETTINGS) || !Number.isFinite(value)) throw new Error(`--${name} ${text}`);
    options[name as keyof Options] = value;
  }
  return options;
}
