import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { parseGrantKeys, type GrantKey } from './grant-key';
import { keptSecret } from './kept-secret';

const MIN_LENGTH = 32;

/** The embedded default's APP_SECRET: made once, kept in the data folder. */
export function embeddedAppSecret(dataDir: string): string {
  const path = join(dataDir, 'app-secret');
  const secret = keptSecret(path, () => randomBytes(32).toString('base64url'));
  if (secret.length < MIN_LENGTH) throw new Error(`${path} holds no secret of ${MIN_LENGTH} characters`);
  return secret;
}

/** The embedded default's GRANT_KEYS, likewise: as the variable has them, so that a key is added by editing the file. */
export function embeddedGrantKeys(dataDir: string): GrantKey[] {
  const path = join(dataDir, 'grant-keys');
  const keys = parseGrantKeys(keptSecret(path, () => JSON.stringify([newGrantKey()])));
  if (!keys) throw new Error(`${path} holds no JSON array of X25519 private keys`);
  return keys;
}

function newGrantKey(): object {
  const { kty, crv, x, d } = generateKeyPairSync('x25519').privateKey.export({ format: 'jwk' });
  return { kty, crv, x, d, kid: `grant-${randomBytes(6).toString('hex')}` };
}
