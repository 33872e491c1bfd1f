/** The signatures, sealed keys and ciphertexts of the pages "Device API" and "Encryption", with node:crypto alone. */
import crypto from 'node:crypto';

/** A public key as a JWK; every key of a device is an octet key pair, either Ed25519 or X25519. */
export type Okp = { kty: string; crv: string; x: string };
export type Keys = { sign: crypto.KeyPairKeyObjectResult; encrypt: crypto.KeyPairKeyObjectResult };
export type DataKey = { kty: 'oct'; k: string; kid: string };
export type Enrollment = { accountId: string; publicKey: Okp; encryptionKey: Okp; contentPublicKey: Okp };

const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const KEY_WRAP_IV = Buffer.alloc(8, 0xa6);
const encode = (value: string | Buffer): string => Buffer.from(value).toString('base64url');
const encodeJson = (value: object): string => encode(JSON.stringify(value));
const decode = (value = ''): Buffer => Buffer.from(value, 'base64url');
const decodeJson = <T>(value = ''): T => JSON.parse(decode(value).toString('utf8')) as T;
const sha256 = (value: string | Buffer): Buffer => crypto.createHash('sha256').update(value).digest();
const fromJwk = (key: Okp): crypto.KeyObject => crypto.createPublicKey({ key: { ...key }, format: 'jwk' });

/** From 32 random bytes in PKCS #8: Node.js 20 can block when it exports what `generateKeyPairSync` returns. */
function newKeyPair(pkcs8Prefix: string): crypto.KeyPairKeyObjectResult {
  const key = Buffer.concat([Buffer.from(pkcs8Prefix, 'hex'), crypto.randomBytes(32)]);
  const privateKey = crypto.createPrivateKey({ key, format: 'der', type: 'pkcs8' });
  return { privateKey, publicKey: crypto.createPublicKey(privateKey) };
}

export const newExchangeKeys = (): crypto.KeyPairKeyObjectResult => newKeyPair('302e020100300506032b656e04220420');
const newSigningKeys = (): crypto.KeyPairKeyObjectResult => newKeyPair('302e020100300506032b657004220420');
export const newKeys = (): Keys => ({ sign: newSigningKeys(), encrypt: newExchangeKeys() });
export const newDataKey = (): DataKey => ({ kty: 'oct', k: encode(crypto.randomBytes(32)), kid: crypto.randomUUID() });
export const publicJwk = (keys: crypto.KeyPairKeyObjectResult): Okp => keys.publicKey.export({ format: 'jwk' }) as Okp;

/** The thumbprint of RFC 7638 hashes the required members of the JWK in the order of their names. */
export const thumbprint = ({ crv, kty, x }: Okp): string => encode(sha256(JSON.stringify({ crv, kty, x })));

export const signText = (keys: Keys, text: string): string =>
  encode(crypto.sign(null, Buffer.from(text), keys.sign.privateKey));

/** The fingerprint is 80 bits of a hash over both thumbprints, in Crockford base32 and in groups of four. */
export function fingerprint(publicKey: Okp, encryptionKey: Okp): string {
  const bytes = sha256(`${thumbprint(publicKey)}.${thumbprint(encryptionKey)}`).subarray(0, 10);
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  const letters = bits.replace(/.{5}/g, (group) => ALPHABET.charAt(parseInt(group, 2)));
  return letters.replace(/.{4}(?=.)/g, '$&-');
}

/** An enrollment is a compact JWS that carries the public signing key of the device that approves. */
export function signEnrollment(approver: Keys, enrollment: Enrollment): string {
  const header = encodeJson({ alg: 'EdDSA', jwk: publicJwk(approver.sign) });
  const text = `${header}.${encodeJson({ ...enrollment, contentKeyVersion: 1 })}`;
  return `${text}.${signText(approver, text)}`;
}

export function openEnrollment(jws: string): Enrollment {
  const [header, payload, signature] = jws.split('.');
  const { alg, jwk } = decodeJson<{ alg: string; jwk: Okp }>(header);
  if (alg !== 'EdDSA' || jwk.crv !== 'Ed25519') throw new Error('The enrollment has an algorithm that is not allowed');
  const signed = crypto.verify(null, Buffer.from(`${header}.${payload}`), fromJwk(jwk), decode(signature));
  if (!signed) throw new Error('The enrollment has a wrong signature');
  return decodeJson<Enrollment>(payload);
}

/** Encrypts with A256GCM; the protected header is the associated data of a compact JWE. */
function encrypt(key: Buffer, header: object, wrappedKey: string, text: string): string {
  const iv = crypto.randomBytes(12);
  const head = encodeJson(header);
  const cipher = crypto.createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(head));
  const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return [head, wrappedKey, encode(iv), encode(sealed), encode(cipher.getAuthTag())].join('.');
}

function decrypt(key: Buffer, jwe: string): string {
  const [head = '', , iv, sealed, tag] = jwe.split('.');
  const decipher = crypto.createDecipheriv('aes-256-gcm', key, decode(iv), { authTagLength: 16 });
  decipher.setAAD(Buffer.from(head)).setAuthTag(decode(tag));
  return Buffer.concat([decipher.update(decode(sealed)), decipher.final()]).toString('utf8');
}

/** Content names its data key, its media type and its place, and nothing else. */
export function sealContent({ k, kid }: DataKey, cty: string, svc: object, text: string): string {
  return encrypt(decode(k), { alg: 'dir', enc: 'A256GCM', kid, cty, svc }, '', text);
}

/** A reader compares the whole header with the place where it found the text, and then decrypts. */
export function openContent({ k, kid }: DataKey, svc: Record<string, unknown>, jwe: string): string {
  const header = decodeJson<Record<string, unknown>>(jwe.split('.')[0]);
  const sorted = (value: unknown): string => JSON.stringify(Object.entries(value as object).sort());
  const { cty, svc: place, ...rest } = header;
  const matches = sorted(rest) === sorted({ alg: 'dir', enc: 'A256GCM', kid }) && sorted(place) === sorted(svc);
  if (!matches || typeof cty !== 'string') throw new Error('The content belongs to another place');
  return decrypt(decode(k), jwe);
}

/** The Concat KDF of RFC 7518, section 4.6.2, derives the key that wraps the content encryption key. */
function wrappingKey(privateKey: crypto.KeyObject, publicKey: crypto.KeyObject): Buffer {
  const number = (value: number): Buffer => Buffer.from([0, 0, value >> 8, value & 255]);
  const alg = 'ECDH-ES+A256KW';
  const secret = crypto.diffieHellman({ privateKey, publicKey });
  const info = [number(alg.length), Buffer.from(alg), number(0), number(0), number(256)];
  return sha256(Buffer.concat([number(1), secret, ...info]));
}

/** Seals a text to an X25519 key, as ECDH-ES+A256KW with A256GCM. */
export function seal(recipient: Okp, text: string): string {
  const ephemeral = newExchangeKeys();
  const header = { alg: 'ECDH-ES+A256KW', enc: 'A256GCM', epk: publicJwk(ephemeral) };
  const contentKey = crypto.randomBytes(32);
  const kek = wrappingKey(ephemeral.privateKey, fromJwk(recipient));
  const wrap = crypto.createCipheriv('id-aes256-wrap', kek, KEY_WRAP_IV);
  return encrypt(contentKey, header, encode(Buffer.concat([wrap.update(contentKey), wrap.final()])), text);
}

export function unseal(keys: crypto.KeyPairKeyObjectResult, jwe: string): string {
  const [head, wrapped] = jwe.split('.');
  const { alg, enc, epk, ...rest } = decodeJson<{ alg: string; enc: string; epk: Okp }>(head);
  const allowed = Object.keys(rest).every((member) => ['kid', 'cty'].includes(member));
  if (alg !== 'ECDH-ES+A256KW' || enc !== 'A256GCM' || !allowed) throw new Error('The header is not allowed');
  const unwrap = crypto.createDecipheriv('id-aes256-wrap', wrappingKey(keys.privateKey, fromJwk(epk)), KEY_WRAP_IV);
  return decrypt(Buffer.concat([unwrap.update(decode(wrapped)), unwrap.final()]), jwe);
}
