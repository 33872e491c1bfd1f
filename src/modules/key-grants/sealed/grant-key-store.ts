import { Injectable } from '@nestjs/common';
import { compactDecrypt, importJWK } from 'jose';
import { findSealedKeyFormatViolation, computeThumbprint, type EncryptionKey } from '@external-api/protocol';
import { Config, type GrantKey } from '../../../core/config';

type ImportedKey = Awaited<ReturnType<typeof importJWK>>;

/**
 * Keys of the service, to which grants with the recipient `"service"` are sealed
 * (docs/protocol/encryption.md#key-grants).
 */
@Injectable()
export class GrantKeyStore {
  private readonly byThumbprint: Map<string, GrantKey>;
  private readonly importedKeys = new Map<string, Promise<ImportedKey>>();

  constructor({ grantKeys }: Config) {
    this.byThumbprint = new Map(grantKeys.map((key) => [computeThumbprint(key.publicKey), key]));
  }

  /** Public key to which devices seal new grants. */
  get publishedKey(): { kid: string; publicKey: EncryptionKey } {
    const [{ kid, publicKey }] = this.byThumbprint.values() as Iterable<GrantKey> as [GrantKey];
    return { kid, publicKey };
  }

  /** Thumbprints of all available keys, the published one first. */
  get thumbprints(): string[] {
    return [...this.byThumbprint.keys()];
  }

  findKid(keyThumbprint: string): string | undefined {
    return this.byThumbprint.get(keyThumbprint)?.kid;
  }

  /** Returns the decrypted payload and the thumbprint of the key that decrypted it, or null when no key does. */
  async decryptWithAnyKey(sealed: string): Promise<{ thumbprint: string; payload: Uint8Array } | null> {
    for (const candidate of this.thumbprints) {
      const payload = await this.decryptSealedKey(sealed, candidate);
      if (payload) return { thumbprint: candidate, payload };
    }
    return null;
  }

  /** Returns the decrypted payload, or null when the key is not available or does not decrypt it. */
  async decryptSealedKey(sealed: string, keyThumbprint: string): Promise<Uint8Array | null> {
    const key = this.byThumbprint.get(keyThumbprint);
    if (!key || findSealedKeyFormatViolation(sealed)) return null;
    try {
      const { plaintext } = await compactDecrypt(sealed, await this.importPrivateKey(keyThumbprint, key), {
        keyManagementAlgorithms: ['ECDH-ES+A256KW'],
        contentEncryptionAlgorithms: ['A256GCM'],
      });
      return plaintext;
    } catch {
      return null;
    }
  }

  private importPrivateKey(keyThumbprint: string, { publicKey, d }: GrantKey): Promise<ImportedKey> {
    let key = this.importedKeys.get(keyThumbprint);
    if (!key) {
      key = importJWK({ ...publicKey, d }, 'ECDH-ES+A256KW');
      this.importedKeys.set(keyThumbprint, key);
    }
    return key;
  }
}
