// Reads a session that was granted to a key of your own. Needs Node 20 or newer, and: npm install jose
//
//   node read-sealed.mjs keygen              creates reader-key.json and prints the public key to grant to
//   node read-sealed.mjs read SESSION_ID     with EXTERNAL_API=https://host/external/v1 and TOKEN=svc_pat_…
import { calculateJwkThumbprint, compactDecrypt, exportJWK, generateKeyPair, importJWK } from 'jose';
import { readFile, writeFile } from 'node:fs/promises';
import { isDeepStrictEqual } from 'node:util';

const { EXTERNAL_API, TOKEN, KEY_FILE = 'reader-key.json' } = process.env;

async function keygen() {
  const pair = await generateKeyPair('ECDH-ES+A256KW', { crv: 'X25519', extractable: true });
  const kid = await calculateJwkThumbprint(pair.publicKey);
  const privateKey = { ...(await exportJWK(pair.privateKey)), kid };
  await writeFile(KEY_FILE, JSON.stringify(privateKey), { mode: 0o600, flag: 'wx' });
  console.log(JSON.stringify({ ...(await exportJWK(pair.publicKey)), kid, use: 'enc' }));
}

async function read(sessionId) {
  const reader = JSON.parse(await readFile(KEY_FILE, 'utf8'));
  const account = (await get('/me')).data.account;
  const session = (await get(`/sessions/${sessionId}`)).data;
  for await (const message of messages(sessionId)) {
    const { data } = await get(`/sessions/${sessionId}/messages/${message.id}/content?encoding=sealed`);
    if (data.key.recipientKeyId !== reader.kid) throw new Error('granted to another key');
    const dataKey = await openKey(data.key.sealed, reader, message.keyId);
    const place = { a: account.id, s: session.tag, l: message.localId, r: message.role };
    const text = await openContent(data.content, dataKey, message.keyId, place);
    console.log(`#${message.seq} ${message.role}: ${text}`);
  }
}

/** Returns the data key of the session, 32 bytes. */
async function openKey(sealed, reader, keyId) {
  checkHeader(sealed, ['alg', 'enc', 'epk'], ['kid', 'cty', 'apu', 'apv']);
  const { plaintext } = await compactDecrypt(sealed, await importJWK(reader, 'ECDH-ES+A256KW'), {
    keyManagementAlgorithms: ['ECDH-ES+A256KW'],
    contentEncryptionAlgorithms: ['A256GCM'],
  });
  const jwk = JSON.parse(new TextDecoder().decode(plaintext));
  if (jwk.kty !== 'oct' || (jwk.kid ?? keyId) !== keyId) throw new Error('another key was sealed');
  return Buffer.from(jwk.k, 'base64url');
}

/** Decrypts the text if its header names this key and this place. */
async function openContent(content, dataKey, keyId, place) {
  const { kid, svc } = checkHeader(content, ['alg', 'cty', 'enc', 'kid', 'svc']);
  if (kid !== keyId) throw new Error('the text is under another key');
  if (!isDeepStrictEqual(svc, place)) throw new Error('the text belongs elsewhere');
  const { plaintext } = await compactDecrypt(content, dataKey, {
    keyManagementAlgorithms: ['dir'],
    contentEncryptionAlgorithms: ['A256GCM'],
  });
  return new TextDecoder().decode(plaintext);
}

/** Rejects every header member that is not listed, such as zip and crit, even if the JOSE library supports it. */
function checkHeader(jwe, required, optional = []) {
  const header = JSON.parse(Buffer.from(jwe.split('.')[0], 'base64url').toString());
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

const [command, sessionId] = process.argv.slice(2);
if (command === 'keygen') await keygen();
else if (command === 'read' && sessionId && EXTERNAL_API && TOKEN) await read(sessionId);
else throw new Error('usage: keygen, or read SESSION_ID with EXTERNAL_API and TOKEN set');
