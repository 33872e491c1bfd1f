/**
 * `npm run compare:behaviour -- COMMIT` compares what users can observe of this checkout with that of a commit: the
 * documents, the schema, and of two running services the headers of calls, the names of metrics and the log lines.
 * Prints what differs. A refactoring changes nothing.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DeviceSession } from '../test/support/device/device-session';
import { DeviceSocket } from '../test/support/device/device-socket';
import { ForeignAccountDevice, expectStatus } from '../test/support/device/foreign-device';
import { findFreePort } from '../test/support/find-free-port';
import type { HttpResponse } from '../test/support/http-client';
import { ServiceProcess } from '../test/support/service-process';
import { waitFor } from '../test/support/wait-for';

const ROOT = join(__dirname, '..');
const DOCUMENTS = [
  'openapi.json',
  'docs/protocol/device-openapi.json',
  'docs/protocol/asyncapi.json',
  'docs/route-policy.md',
  'docs/device-permissions.md',
  'migrations/schema.json',
];
/** What differs between two runs of one build. */
const VARYING = [
  [/W\/"[^"]+"/g, 'ETAG'],
  [/\b[a-z]{3,4}_[0-9a-hjkmnp-tv-z]{26}\b/g, 'ID'],
  [/\bsvc_\w+/g, 'TOKEN'],
  [/127\.0\.0\.1:\d+/g, 'HOST'],
  [/\d+(\.\d+)?/g, 'N'],
  [/"[\w-]{20,}"/g, '"VALUE"'],
] as const;

/** Lines of Nest, which name modules and routes. */
const FRAMEWORK_LINE = /^\d+ (InstanceLoader|RouterExplorer|RoutesResolver|WebSocketsController) /;

type Call = [method: string, path: string, token: string | null, json?: object, headers?: Record<string, string>];

void main(process.argv[2] ?? 'HEAD');

async function main(commit: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'compare-behaviour-'));
  try {
    const before = unpackCommit(commit, join(folder, 'before'));
    const builds = [before, ROOT];
    for (const build of builds) execFileSync(process.execPath, [join(ROOT, 'tools', 'build.mjs'), build]);
    const differences = DOCUMENTS.flatMap((path) => compareDocuments(path, before));
    const [first, second] = [await observe(before, join(folder, '1')), await observe(ROOT, join(folder, '2'))];
    for (const name of Object.keys(first) as (keyof Observation)[])
      differences.push(...compareLines(name, first[name], second[name]));
    for (const line of differences) console.log(line);
    const { calls, metrics, logs } = first;
    const counts = `${calls.length} lines of responses, ${metrics.length} metrics, ${logs.length} kinds of log lines`;
    console.log(`${DOCUMENTS.length} documents, ${counts}:`);
    console.log(differences.length === 0 ? 'no difference' : `${differences.length} differences`);
    process.exitCode = differences.length === 0 ? 0 : 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function unpackCommit(commit: string, folder: string): string {
  execFileSync('mkdir', [folder]);
  const archive = execFileSync('git', ['archive', commit], { cwd: ROOT, maxBuffer: 1e9 });
  execFileSync('tar', ['-x', '-C', folder], { input: archive });
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  return folder;
}

function compareDocuments(path: string, before: string): string[] {
  const [first, second] = [before, ROOT].map((folder) => readFileSync(join(folder, path), 'utf8'));
  return first === second ? [] : compareLines(path, first!.split('\n'), second!.split('\n'));
}

/** Returns the lines that only one of them has, and whether the others have another order. */
function compareLines(name: string, first: readonly string[], second: readonly string[]): string[] {
  const isGone = (line: string) => !second.includes(line);
  const isAdded = (line: string) => !first.includes(line);
  const [before, after] = [first.filter((line) => !isGone(line)), second.filter((line) => !isAdded(line))];
  return [
    ...first.filter(isGone).map((line) => `${name}: - ${line}`),
    ...second.filter(isAdded).map((line) => `${name}: + ${line}`),
    ...(before.join('\n') === after.join('\n') ? [] : [`${name}: lines in another order, or another number of them`]),
  ];
}

interface Observation {
  calls: string[];
  metrics: string[];
  logs: string[];
}

async function observe(build: string, dataDir: string): Promise<Observation> {
  const logs = new Set<string>();
  const metricsPort = await findFreePort();
  const env = { DATA_DIR: dataDir, METRICS_PORT: String(metricsPort), SIGNUP: 'open', LOG_LEVEL: 'debug' };
  const options = { build: join(build, 'dist'), onLine: (line: string) => void logs.add(describeLogLine(line)) };
  const service = await ServiceProcess.start(env, options);
  try {
    const calls = await makeCalls(service);
    const metrics = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
    await service.stop();
    return {
      calls,
      metrics: [...metrics.matchAll(/^# TYPE .*/gm)].map(([line]) => line).sort(),
      logs: [...logs].filter((line) => !FRAMEWORK_LINE.test(line)).sort(),
    };
  } finally {
    await service.stop('SIGKILL');
  }
}

/** Returns the members of the line, and the values that are the same in each run. */
function describeLogLine(line: string): string {
  try {
    const { msg, level, context, ...members } = JSON.parse(line) as Record<string, unknown>;
    return `${String(level)} ${String(context)} ${normalize(String(msg))} ${Object.keys(members).sort().join()}`;
  } catch {
    return normalize(line);
  }
}

const normalize = (text: string) => VARYING.reduce((result, [pattern, name]) => result.replace(pattern, name), text);

const readData = <Data>(response: HttpResponse, status: number) =>
  (expectStatus(response, status) as { data: Data }).data;

async function makeCalls({ http, port }: ServiceProcess): Promise<string[]> {
  const ada = await ForeignAccountDevice.signUp(http, 'ada-of-the-comparison');
  const scopes = ['sessions:read', 'sessions:write', 'machines:read', 'machines:invoke', 'artifacts:read'];
  const { token, id: tokenId } = await ada.createToken([...scopes, 'webhooks:manage', 'usage:read', 'profile:read']);
  const { token: weak } = await ada.createToken(['usage:read']);
  const session = await DeviceSession.createSession(ada);
  const [message] = await session.appendMessages('first', 'second');
  const box = await ada.pairDevice('machine');
  const registration = { name: 'box', platform: 'linux', arch: 'x64', appVersion: '1' };
  const machine = readData<{ id: string }>(await http.post('/v1/machines', box.token, registration), 201);
  const url = `http://127.0.0.1:${port}`;
  const socket = await DeviceSocket.connect(url, box.token, ['machine.invoke'], () => ({
    ok: true,
    result: { exitCode: 0 },
  }));
  const external = '/external/v1';
  await waitFor(async () => {
    const path = `${external}/machines/${machine.id}`;
    if (readData<{ state: string }>(await http.get(path, token), 200).state !== 'online')
      throw new Error('The machine is offline.');
  });
  const invoke = (command: string | undefined, key?: string): Call => {
    const path = `${external}/machines/${machine.id}/invoke`;
    return ['POST', path, token, { command }, key ? { 'Idempotency-Key': key } : undefined];
  };
  const webhook = { url: 'https://hooks.example/events', events: ['session.created'] };
  const calls: Call[] = [
    ...['/health/live', '/health/ready', '/openapi.json', '/docs', '/docs/errors', '/', '/nothing'].map(
      (path): Call => ['GET', path, null],
    ),
    ['GET', `${external}/me`, token],
    ['GET', `${external}/me`, null],
    ['GET', `${external}/me`, 'svc_pat_unknown'],
    ['GET', `${external}/usage`, token],
    ...['sessions', 'machines', 'artifacts', 'webhooks'].flatMap((path): Call[] => [
      ['GET', `${external}/${path}`, token],
      ['GET', `${external}/${path}`, weak],
      ['GET', `${external}/${path}?limit=0`, token],
    ]),
    ['GET', `${external}/sessions/${session.id}`, token],
    ['GET', `${external}/sessions/ses_00000000000000000000000000`, token],
    ['GET', `${external}/sessions/${session.id}/messages?limit=1`, token],
    ['GET', `${external}/sessions/${session.id}/messages/${message!.id}/content`, token],
    ['GET', `${external}/sessions/${session.id}/turns`, token],
    ['GET', `${external}/sessions/${session.id}/permission-requests`, token],
    ['POST', `${external}/sessions/${session.id}/messages`, token, { content: 'hello' }],
    ['POST', `${external}/sessions/${session.id}/messages`, token, {}],
    invoke('true'),
    invoke(undefined),
    invoke('true', 'first'),
    invoke('true', 'first'),
    invoke('other', 'first'),
    invoke('true', 'not valid'),
    ['POST', `${external}/webhooks`, token, webhook],
    ['POST', `${external}/webhooks`, token, { ...webhook, url: 'http://127.0.0.1/' }],
    ['PUT', `${external}/sessions`, token, {}],
    ['GET', '/v1/account', ada.token],
    ['GET', '/v1/account', token],
    ['GET', '/v1/devices', ada.token],
    ['GET', '/v1/devices', box.token],
    ['GET', '/v1/account/external-tokens', ada.token],
    ['PATCH', `/v1/account/external-tokens/${tokenId}`, ada.token, { name: 'renamed' }],
    ['GET', '/v1/audit-events', ada.token],
    ['GET', '/v1/relay-calls', ada.token],
    ['POST', '/v1/auth/challenge', null, {}],
    ['POST', '/v1/accounts', null, { username: 'x' }],
    ['POST', '/oauth/token', null, { grant_type: 'other' }],
    ['GET', '/.well-known/oauth-authorization-server', null],
    ['GET', '/console/sign-in', null],
    ['DELETE', `/v1/account/external-tokens/${tokenId}`, ada.token],
    ['GET', `${external}/me`, token],
  ];
  const lines: string[] = [];
  for (const call of calls) lines.push(...(await describeCall(url, call)));
  socket.close();
  return lines;
}

/** Returns the call with its status, and each header of its response. */
async function describeCall(url: string, [method, path, token, json, headers]: Call): Promise<string[]> {
  const response = await fetch(url + path, {
    method,
    redirect: 'manual',
    headers: {
      ...headers,
      ...(token !== null && { Authorization: `Bearer ${token}` }),
      ...(json && { 'Content-Type': 'application/json' }),
    },
    ...(json && { body: JSON.stringify(json) }),
  });
  await response.arrayBuffer();
  const call = normalize(`${method} ${path}${json ? ` ${JSON.stringify(json)}` : ''}${headers ? ' with a key' : ''}`);
  const names = [...response.headers].map(([name, value]) => `${call}: ${name}: ${normalize(value)}`);
  return [`${call}: ${response.status}`, ...names];
}
