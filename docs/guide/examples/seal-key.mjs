// Seals the key of a session for a reader and prints the body of a key grant.
// Needs Node 20 or newer, and: npm install jose
//
//   node seal-key.mjs SESSION_ID service [TOKEN_ID]    lets all tokens or one token read through the service
//   node seal-key.mjs SESSION_ID key.json [TOKEN_ID]   lets only the holder of that public key read
//
// Requires HOST=https://host, DEVICE_TOKEN=svc_dev_… and the device-keys.json that device-token.mjs stored.
import { compactDecrypt, CompactEncrypt, importJWK } from 'jose';
import { readFile } from 'node:fs/promises';

const { HOST, DEVICE_TOKEN, KEY_FILE = 'device-keys.json' } = process.env;
const SEALED = { alg: 'ECDH-ES+A256KW', enc: 'A256GCM' };

async function grantBody(sessionId, reader, tokenId) {
  const [account, session] = [await get('/v1/account'), await get(`/v1/sessions/${sessionId}`)];
  const key = await open(session.dataKey.sealed, await contentKey(account));
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
  const opened = await open(sealedContentKey, encryption);
  if (opened.x !== account.contentPublicKey.x) throw new Error("not this account's content key");
  return opened;
}

async function open(sealed, key) {
  const { plaintext } = await compactDecrypt(sealed, await importJWK(key, SEALED.alg), {
    keyManagementAlgorithms: [SEALED.alg],
    contentEncryptionAlgorithms: [SEALED.enc],
  });
  return JSON.parse(new TextDecoder().decode(plaintext));
}

async function seal(payload, key) {
  return new CompactEncrypt(new TextEncoder().encode(JSON.stringify(payload)))
    .setProtectedHeader(SEALED)
    .encrypt(await importJWK(key, SEALED.alg));
}

async function get(path) {
  const response = await fetch(HOST + path, { headers: { authorization: `Bearer ${DEVICE_TOKEN}` } });
  const answer = await response.json();
  if (!response.ok) throw new Error(`${response.status} ${answer.code}: ${answer.detail}`);
  return answer.data;
}

const [sessionId, reader, tokenId] = process.argv.slice(2);
if (!reader || !HOST || !DEVICE_TOKEN)
  throw new Error('usage: SESSION_ID, then service or a file, with HOST and DEVICE_TOKEN set');
console.log(JSON.stringify(await grantBody(sessionId, reader, tokenId)));
