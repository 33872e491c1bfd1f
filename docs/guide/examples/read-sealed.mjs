// Reads a session that was granted to a key of your own. Needs Node 20 or newer, and no packages.
//
//   node read-sealed.mjs keygen              creates reader-key.json and prints the public key to grant to
//   node read-sealed.mjs read SESSION_ID     with EXTERNAL_API=https://host/external/v1 and TOKEN=svc_pat_…
import {
  createDecipheriv,
  createHash,
  createPrivateKey,
  createPublicKey,
  diffieHellman,
  generateKeyPair,
} from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { isDeepStrictEqual, promisify } from 'node:util';

const { EXTERNAL_API, TOKEN, KEY_FILE = 'reader-key.json' } = process.env;
const USAGE = `usage: node read-sealed.mjs keygen
       node read-sealed.mjs read SESSION_ID, with EXTERNAL_API=https://host/external/v1 and TOKEN=svc_pat_… set`;

async function keygen() {
  if (existsSync(KEY_FILE)) throw new Error(`${KEY_FILE} exists already. Delete it if no grant needs it.`);
  const { privateKey } = await promisify(generateKeyPair)('x25519');
  const { kty, crv, x, d } = privateKey.export({ format: 'jwk' });
  // RFC 7638
  const kid = createHash('sha256').update(JSON.stringify({ crv, kty, x })).digest('base64url');
  writeFileSync(KEY_FILE, JSON.stringify({ kty, crv, x, d, kid }), { mode: 0o600, flag: 'wx' });
  console.log(JSON.stringify({ kty, crv, x, kid, use: 'enc' }));
}

async function read(sessionId) {
  if (!existsSync(KEY_FILE)) throw new Error(`There is no ${KEY_FILE}: create it with keygen.`);
  const reader = JSON.parse(readFileSync(KEY_FILE, 'utf8'));
  const account = (await get('/me')).data.account;
  const session = (await get(`/sessions/${sessionId}`)).data;
  for await (const message of messages(sessionId)) {
    const { data } = await get(`/sessions/${sessionId}/messages/${message.id}/content?encoding=sealed`);
    if (data.key.recipientKeyId !== reader.kid) throw new Error('granted to another key');
    const dataKey = openKey(data.key.sealed, reader, message.keyId);
    const place = { a: account.id, s: session.tag, l: message.localId, r: message.role };
    const text = openContent(data.content, dataKey, message.keyId, place);
    console.log(`#${message.seq} ${message.role}: ${text}`);
  }
}

/** Returns the data key of the session, 32 bytes. */
function openKey(sealed, reader, keyId) {
  const {
    alg,
    enc,
    epk,
    apu = '',
    apv = '',
  } = checkHeader(sealed, ['alg', 'enc', 'epk'], ['kid', 'cty', 'apu', 'apv']);
  if (alg !== 'ECDH-ES+A256KW' || enc !== 'A256GCM') throw new Error(`unexpected algorithm: ${alg}, ${enc}`);
  const privateKey = createPrivateKey({ key: reader, format: 'jwk' });
  const secret = diffieHellman({ privateKey, publicKey: createPublicKey({ key: epk, format: 'jwk' }) });
  // RFC 7518 §4.6.2
  const info = [Buffer.from(alg), decode(apu), decode(apv)].flatMap((part) => [uint32(part.length), part]);
  const wrappingKey = createHash('sha256')
    .update(Buffer.concat([uint32(1), secret, ...info, uint32(256)]))
    .digest();
  const unwrap = createDecipheriv('id-aes256-wrap', wrappingKey, Buffer.alloc(8, 0xa6));
  const key = Buffer.concat([unwrap.update(decode(sealed.split('.')[1])), unwrap.final()]);
  const jwk = JSON.parse(decrypt(sealed, key));
  if (jwk.kty !== 'oct' || (jwk.kid ?? keyId) !== keyId) throw new Error('another key was sealed');
  return decode(jwk.k);
}

/** Decrypts the text if its header names this key and this place. */
function openContent(content, dataKey, keyId, place) {
  const { alg, enc, kid, svc } = checkHeader(content, ['alg', 'cty', 'enc', 'kid', 'svc']);
  if (alg !== 'dir' || enc !== 'A256GCM') throw new Error(`unexpected algorithm: ${alg}, ${enc}`);
  if (kid !== keyId) throw new Error('the text is under another key');
  if (!isDeepStrictEqual(svc, place)) throw new Error('the text belongs elsewhere');
  return decrypt(content, dataKey).toString();
}

/** Decrypts the payload with A256GCM, which also authenticates the header. */
function decrypt(jwe, key) {
  const [header, , iv, ciphertext, tag] = jwe.split('.');
  const decipher = createDecipheriv('aes-256-gcm', key, decode(iv), { authTagLength: 16 });
  decipher.setAAD(Buffer.from(header)).setAuthTag(decode(tag));
  return Buffer.concat([decipher.update(decode(ciphertext)), decipher.final()]);
}

/** Rejects every header member that is not listed, such as zip and crit, so that none can change the meaning of the others. */
function checkHeader(jwe, required, optional = []) {
  const header = JSON.parse(decode(jwe.split('.')[0]));
  const names = Object.keys(header);
  const complete = required.every((name) => names.includes(name));
  if (!complete || !names.every((name) => [...required, ...optional].includes(name)))
    throw new Error(`unexpected header: ${names}`);
  return header;
}

async function* messages(sessionId) {
  for (let cursor = ''; cursor !== null;) {
    const query = `order=asc${cursor && `&cursor=${encodeURIComponent(cursor)}`}`;
    const page = await get(`/sessions/${sessionId}/messages?${query}`);
    yield* page.data;
    cursor = page.nextCursor;
  }
}

async function get(path) {
  const response = await fetch(EXTERNAL_API + path, { headers: { authorization: `Bearer ${TOKEN}` } });
  const body = await response.json();
  if (!response.ok) throw new Error(`${response.status} ${body.code}: ${body.detail}`);
  return body;
}

const decode = (text) => Buffer.from(text, 'base64url');

function uint32(value) {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

const [command, sessionId] = process.argv.slice(2);
try {
  if (command === 'keygen') await keygen();
  else if (command === 'read' && sessionId && EXTERNAL_API && TOKEN) await read(sessionId);
  else {
    console.error(USAGE);
    process.exitCode = 2;
  }
} catch (error) {
  console.error(`error: ${error.message}${error.cause ? ` (${error.cause.message})` : ''}`);
  process.exitCode = 1;
}
