// Makes this computer a device of an account and prints a device token. Needs Node 20 or newer, and nothing else.
//
//   node device-token.mjs join USERNAME                  asks to join an account, where another device approves it
//   node device-token.mjs signup USERNAME [INVITATION]   creates an account with this computer as its first device
//   node device-token.mjs                                signs in again: a new token, for 30 days
//
// Requires HOST=https://host. The private keys stay in device-keys.json. Anyone who has this file can use the account.
import { createHash, createPrivateKey, generateKeyPair, sign } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { hostname, platform } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

const { HOST, KEY_FILE = 'device-keys.json' } = process.env;
const USAGE = `usage: node device-token.mjs join USERNAME
       node device-token.mjs signup USERNAME [INVITATION]
       node device-token.mjs, with the keys of an earlier run; HOST=https://host set for all`;
const ABOUT = { name: hostname(), platform: platform() };

async function signUp(username, invitation) {
  const keys = save({ ...(await load()), content: await newKey('x25519') });
  const { token } = await call('POST', '/v1/accounts', {
    username,
    invitation,
    device: { ...publicKeys(keys), ...ABOUT },
    contentPublicKey: publicPart(keys.content),
    ...(await prove(keys, publicKeys(keys))),
  });
  return token;
}

async function join(username) {
  const keys = save({ ...(await load()), content: undefined });
  const proof = await prove(keys, publicKeys(keys));
  const request = { ...publicKeys(keys), kind: 'account', ...ABOUT, ...proof };
  const { id, code } = await call('POST', '/v1/pairings', request);
  console.error(`Approve the code ${code} at ${HOST}/console/devices`);
  console.error(`if the fingerprint there is ${fingerprint(keys)}`);
  for (;;) {
    const { state, accountUsername } = await call('GET', `/v1/pairings/${id}`);
    if (state === 'approved' && accountUsername !== username) throw new Error(`${accountUsername} approved it`);
    if (state === 'approved') return signIn();
    if (state !== 'pending') throw new Error(`the request was ${state}`);
    await sleep(1_000);
  }
}

async function signIn() {
  const keys = await load();
  const { publicKey } = publicKeys(keys);
  const proof = await prove(keys, { publicKey });
  const { token, enrollment } = await call('POST', '/v1/auth/sign-in', { publicKey, ...proof });
  // The enrollment was signed by the approving device and never changes. A service that sends another one is hostile.
  if (keys.enrollment && keys.enrollment !== enrollment) throw new Error('the enrollment has changed');
  save({ ...keys, enrollment: enrollment ?? undefined });
  return token;
}

/** Signs a challenge only if it names this host and these keys, so that the signature is useless elsewhere. */
async function prove(keys, challenged) {
  const { challenge, message } = await call('POST', '/v1/auth/challenge', challenged);
  const lines = message.split('\n').map((line) => line.split(': ').at(-1));
  const named = [HOST, challenge, ...Object.values(challenged).map(thumbprint)];
  if (!named.every((text) => lines.includes(text))) throw new Error(`not to be signed:\n${message}`);
  const signature = sign(null, Buffer.from(message), createPrivateKey({ key: keys.signing, format: 'jwk' }));
  return { challenge, signature: signature.toString('base64url') };
}

// Not generateKeyPairSync: Node.js 20 can block when it exports such a key.
const newKey = async (type) => (await promisify(generateKeyPair)(type)).privateKey.export({ format: 'jwk' });
const publicPart = ({ kty, crv, x }) => ({ kty, crv, x });
const publicKeys = ({ signing, encryption }) => ({
  publicKey: publicPart(signing),
  encryptionKey: publicPart(encryption),
});
/** RFC 7638 */
const thumbprint = ({ crv, kty, x }) =>
  createHash('sha256').update(JSON.stringify({ crv, kty, x })).digest('base64url');

/** Returns 80 bits over both keys in Crockford's base 32, as all other devices compute them. */
function fingerprint({ signing, encryption }) {
  const text = `${thumbprint(signing)}.${thumbprint(encryption)}`;
  const bits = BigInt(`0x${createHash('sha256').update(text).digest('hex').slice(0, 20)}`);
  const digits = bits.toString(32).padStart(16, '0');
  const crockford = digits.replace(/./g, (digit) => '0123456789ABCDEFGHJKMNPQRSTVWXYZ'[parseInt(digit, 32)]);
  return crockford.match(/.{4}/g).join('-');
}

async function load() {
  if (existsSync(KEY_FILE)) return JSON.parse(readFileSync(KEY_FILE, 'utf8'));
  return { signing: await newKey('ed25519'), encryption: await newKey('x25519') };
}

function save(keys) {
  writeFileSync(KEY_FILE, JSON.stringify(keys, null, 2), { mode: 0o600 });
  return keys;
}

async function call(method, path, body) {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(HOST + path, { method, headers, body: body && JSON.stringify(body) });
  const answer = await response.json();
  if (!response.ok) throw new Error(`${response.status} ${answer.code}: ${answer.detail}`);
  return answer.data;
}

const [command, username, invitation] = process.argv.slice(2);
const run = { join: username && join, signup: username && signUp, undefined: existsSync(KEY_FILE) && signIn }[command];
try {
  if (HOST && run) console.log(await run(username, invitation));
  else {
    console.error(USAGE);
    process.exitCode = 2;
  }
} catch (error) {
  console.error(`error: ${error.message}${error.cause ? ` (${error.cause.message})` : ''}`);
  process.exitCode = 1;
}
