import { Injectable } from '@nestjs/common';
import { compactDecrypt, importJWK } from 'jose';
import { Config, type GrantKey } from '../../config';
import { sealedKeyFault, thumbprint, type EncryptionKey } from '../../wire';

type ImportedKey = Awaited<ReturnType<typeof importJWK>>;

/** The service's own keys, which grants with the recipient `"service"` are sealed to (encryption.md, Key grants). */
@Injectable()
export class GrantKeys {
  private readonly byThumbprint: Map<string, GrantKey>;
  private readonly imported = new Map<string, Promise<ImportedKey>>();

  constructor({ grantKeys }: Config) {
    this.byThumbprint = new Map(grantKeys.map((key) => [thumbprint(key.publicKey), key]));
  }

  /** What devices seal to now. */
  get published(): { kid: string; publicKey: EncryptionKey } {
    const [{ kid, publicKey }] = this.byThumbprint.values() as Iterable<GrantKey> as [GrantKey];
    return { kid, publicKey };
  }

  /** Of every key that is held, the published one first. */
  get thumbprints(): string[] {
    return [...this.byThumbprint.keys()];
  }

  kidOf(keyThumbprint: string): string | undefined {
    return this.byThumbprint.get(keyThumbprint)?.kid;
  }

  /** The thumbprint of the key that opens it and what was sealed, or null when none does. */
  async openWithAny(sealed: string): Promise<{ thumbprint: string; payload: Uint8Array } | null> {
    for (const candidate of this.thumbprints) {
      const payload = await this.open(sealed, candidate);
      if (payload) return { thumbprint: candidate, payload };
    }
    return null;
  }

  /** What was sealed to that key, or null when it is not held or does not open it. */
  async open(sealed: string, keyThumbprint: string): Promise<Uint8Array | null> {
    const key = this.byThumbprint.get(keyThumbprint);
    if (!key || sealedKeyFault(sealed)) return null;
    try {
      const { plaintext } = await compactDecrypt(sealed, await this.privateKey(keyThumbprint, key), {
        keyManagementAlgorithms: ['ECDH-ES+A256KW'],
        contentEncryptionAlgorithms: ['A256GCM'],
      });
      return plaintext;
    } catch {
      return null;
    }
  }

  private privateKey(keyThumbprint: string, { publicKey, d }: GrantKey): Promise<ImportedKey> {
    let key = this.imported.get(keyThumbprint);
    if (!key) {
      key = importJWK({ ...publicKey, d }, 'ECDH-ES+A256KW');
      this.imported.set(keyThumbprint, key);
    }
    return key;
  }
}
