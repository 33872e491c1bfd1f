import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { connect } from 'node:net';

const CHROMIUM = process.env.TEST_CHROMIUM
  ? [process.env.TEST_CHROMIUM]
  : ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'];
const FIREFOX = process.env.TEST_FIREFOX ?? '/usr/bin/firefox-esr';
const START_SERVICES = 'docker compose up -d postgres redis';

/** What each project needs. The others, and many files of `medium`, need only Node.js. */
const NEEDS = {
  'e2e-services': ['services'],
  'multi-instance': ['services', 'programs'],
  browser: ['chromium'],
  firefox: ['firefox'],
  'browser-cluster': ['chromium', 'services', 'programs'],
};

/** Each check returns the missing dependencies. */
const CHECKS = {
  services: async () => {
    const postgres = new URL(process.env.TEST_DATABASE_URL ?? 'postgres://postgres@127.0.0.1:5432/test');
    const redis = new URL(process.env.TEST_REDIS_URL ?? 'redis://127.0.0.1:6379');
    return [
      ...((await acceptsConnections(postgres, 5432)) ? [] : [`PostgreSQL at ${postgres.host} (${START_SERVICES})`]),
      ...((await acceptsConnections(redis, 6379)) ? [] : [`Redis at ${redis.host} (${START_SERVICES})`]),
    ];
  },
  // These tests start their own load balancer and their own Redis, which they stop and freeze.
  programs: () =>
    ['haproxy', 'redis-server'].filter((name) => !isInstalled(name)).map((name) => `${name} (install it)`),
  chromium: () =>
    CHROMIUM.some((path) => existsSync(path)) ? [] : [`${CHROMIUM[0]} (install chromium-headless-shell)`],
  firefox: () => (existsSync(FIREFOX) ? [] : [`${FIREFOX} (install firefox-esr)`]),
};

/** Returns the missing dependencies of each of these projects, with what to do about them. */
export async function findMissingDependencies(names) {
  const results = {};
  const check = (need) => (results[need] ??= CHECKS[need]());
  const missing = {};
  for (const name of names) missing[name] = (await Promise.all((NEEDS[name] ?? []).map(check))).flat();
  return missing;
}

/** Only a few tests need Java's HTTP clients. */
export const hasJava = () => isInstalled('java', '-version');

function acceptsConnections(url, fallbackPort) {
  return new Promise((resolve) => {
    const socket = connect({ host: url.hostname, port: Number(url.port || fallbackPort), timeout: 1_000 });
    const settle = (accepts) => {
      socket.destroy();
      resolve(accepts);
    };
    socket.once('connect', () => settle(true));
    socket.once('error', () => settle(false));
    socket.once('timeout', () => settle(false));
  });
}

function isInstalled(program, flag = '-v') {
  const PATH = `${process.env.PATH}:/usr/sbin:/usr/local/sbin`;
  return spawnSync(program, [flag], { env: { ...process.env, PATH } }).status === 0;
}
