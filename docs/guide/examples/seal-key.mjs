// Seals the key of a session for a reader and prints the body of a key grant.
// Needs Node 20 or newer, and no packages.
//
//   node seal-key.mjs SESSION_ID service [TOKEN_ID]    lets all tokens or one token read through the service
//   node seal-key.mjs SESSION_ID key.json [TOKEN_ID]   lets only the holder of that public key read
//
// Requires HOST=https://host, DEVICE_TOKEN=svc_dev_… and the device-keys.json that device-token.mjs stored.
import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createPrivateKey,
  createPublicKey,
  diffieHellman,
  generateKeyPair,
  randomBytes,
} from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

const { HOST, DEVICE_TOKEN, KEY_FILE = 'device-keys.json' } = process.env;
const USAGE = `usage: node seal-key.mjs SESSION_ID service [TOKEN_ID]
       node seal-key.mjs SESSION_ID key.json [TOKEN_ID], with HOST and DEVICE_TOKEN set`;
const SEALED = { alg: 'ECDH-ES+A256KW', enc: 'A256GCM' };

async function grantBody(sessionId, reader, tokenId) {
  const [account, session] = [await get('/v1/account'), await get(`/v1/sessions/${sessionId}`)];
  const key = open(session.dataKey.sealed, await contentKey(account));
  if (key.kid !== session.dataKey.kid) throw new Error('another key was sealed');
  if (reader !== 'service') {
    const recipient = JSON.parse(await readFile(reader, 'utf8'));
    return { recipient, sealedKey: await seal(key, recipient), tokenId };
  }
  const { publicKey } = await get('/v1/key-grants/recipient');
  // The terms bind the key to this grant. The service opens it for no other.
  const terms = {
    aud: HOST,
    accountId: account.id,
    sessionId,
    artifactId: null,
    appId: null,
    expiresAt: null,
  };
  const payload = { key, ...terms, tokenId: tokenId ?? null };
  return { recipient: 'service', sealedKey: await seal(payload, publicKey), tokenId };
}

/** Returns the private content key of the account: from sign-up, or from the enrollment by the approving device. */
async function contentKey(account) {
  const { content, encryption, enrollment } = JSON.parse(await readFile(KEY_FILE, 'utf8'));
  if (content) return content;
  const { sealedContentKey } = JSON.parse(Buffer.from(enrollment.split('.')[1], 'base64url'));
  const opened = open(sealedContentKey, encryption);
  if (opened.x !== account.contentPublicKey.x) throw new Error("not this account's content key");
  return opened;
}

/** Decrypts a compact JWE to a private JWK. Accepts only the algorithms of {@link SEALED}. */
function open(sealed, key) {
  const [header, wrappedKey, iv, ciphertext, tag] = sealed.split('.');
  const { alg, enc, epk, apu = '', apv = '', ...rest } = JSON.parse(decode(header));
  if (alg !== SEALED.alg || enc !== SEALED.enc || rest.zip || rest.crit)
    throw new Error(`unexpected header: ${header}`);
  const wrappingKey = agree(createPrivateKey({ key, format: 'jwk' }), epk, decode(apu), decode(apv));
  const unwrap = createDecipheriv('id-aes256-wrap', wrappingKey, Buffer.alloc(8, 0xa6));
  const contentKey = Buffer.concat([unwrap.update(decode(wrappedKey)), unwrap.final()]);
  const decipher = createDecipheriv('aes-256-gcm', contentKey, decode(iv), { authTagLength: 16 });
  decipher.setAAD(Buffer.from(header)).setAuthTag(decode(tag));
  return JSON.parse(Buffer.concat([decipher.update(decode(ciphertext)), decipher.final()]));
}

/** Encrypts a payload to a public JWK, X25519 or P-256, as a compact JWE. */
async function seal(payload, key) {
  const type = key.kty === 'OKP' ? ['x25519', {}] : ['ec', { namedCurve: key.crv }];
  const { privateKey, publicKey } = await promisify(generateKeyPair)(...type);
  const epk = publicKey.export({ format: 'jwk' });
  const header = Buffer.from(JSON.stringify({ ...SEALED, epk })).toString('base64url');
  const [contentKey, iv] = [randomBytes(32), randomBytes(12)];
  const wrap = createCipheriv('id-aes256-wrap', agree(privateKey, key), Buffer.alloc(8, 0xa6));
  const wrappedKey = Buffer.concat([wrap.update(contentKey), wrap.final()]);
  const cipher = createCipheriv('aes-256-gcm', contentKey, iv).setAAD(Buffer.from(header));
  const ciphertext = Buffer.concat([cipher.update(JSON.stringify(payload)), cipher.final()]);
  const parts = [wrappedKey, iv, ciphertext, cipher.getAuthTag()].map((part) => part.toString('base64url'));
  return [header, ...parts].join('.');
}

/** Returns the wrapping key that both sides compute (RFC 7518 §4.6.2). */
function agree(privateKey, { kty, crv, x, y }, apu = Buffer.alloc(0), apv = Buffer.alloc(0)) {
  const publicKey = createPublicKey({ key: { kty, crv, x, y }, format: 'jwk' });
  const secret = diffieHellman({ privateKey, publicKey });
  const info = [Buffer.from(SEALED.alg), apu, apv].flatMap((part) => [uint32(part.length), part]);
  return createHash('sha256')
    .update(Buffer.concat([uint32(1), secret, ...info, uint32(256)]))
    .digest();
}

const decode = (text) => Buffer.from(text, 'base64url');

function uint32(value) {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

async function get(path) {
  const response = await fetch(HOST + path, { headers: { authorization: `Bearer ${DEVICE_TOKEN}` } });
  const answer = await response.json();
  if (!response.ok) throw new Error(`${response.status} ${answer.code}: ${answer.detail}`);
  return answer.data;
}

const [sessionId, reader, tokenId] = process.argv.slice(2);
try {
  if (reader && HOST && DEVICE_TOKEN) console.log(JSON.stringify(await grantBody(sessionId, reader, tokenId)));
  else {
    console.error(USAGE);
    process.exitCode = 2;
  }
} catch (error) {
  console.error(`error: ${error.message}${error.cause ? ` (${error.cause.message})` : ''}`);
  process.exitCode = 1;
}
