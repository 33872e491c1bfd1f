import { randomBytes } from 'node:crypto';
import {
  closeSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';

const MIN_LENGTH = 32;

/**
 * The embedded default's APP_SECRET: made once, kept in the data folder at mode 0600.
 * Written aside and linked into place, so that a crash or a second process never leaves half a secret.
 */
export function embeddedAppSecret(dataDir: string): string {
  const path = join(dataDir, 'app-secret');
  const secret = read(path) ?? create(dataDir, path);
  if (secret.length < MIN_LENGTH) throw new Error(`${path} holds no secret of ${MIN_LENGTH} characters`);
  return secret;
}

function read(path: string): string | null {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

function create(dataDir: string, path: string): string {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const draft = `${path}.${randomBytes(6).toString('hex')}`;
  const file = openSync(draft, 'wx', 0o600);
  try {
    writeSync(file, `${randomBytes(32).toString('base64url')}\n`);
    fsyncSync(file);
    linkSync(draft, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    closeSync(file);
    rmSync(draft, { force: true });
  }
  return readFileSync(path, 'utf8').trim();
}
