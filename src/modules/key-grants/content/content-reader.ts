import { Injectable } from '@nestjs/common';
import type { TokenPrincipal } from '../../../access/auth';
import { Clock } from '../../../common/clock';
import { findContentFormatViolation, type ContentBinding } from '../../../protocol';
import { grantKeyMismatch, noContentGrant } from '../key-grants.errors';
import { KeyGrantsRepository, type CoveringGrant } from '../key-grants.repository';
import { GrantKeyStore } from '../sealed/grant-key-store';
import { SealedGrantVerifier } from '../sealed/sealed-grant-verifier';
import { decryptContent } from './decrypt-content';

/** Stored ciphertext and the ids that it is bound to. */
export interface StoredCiphertext {
  content: string;
  keyId: string;
  place: ContentBinding;
}

/** Request to read one ciphertext. */
export interface ContentReadRequest {
  /** Session and artifact whose grants may cover the text. */
  sessionId: string | null;
  artifactId: string | null;
  /** Requested encoding; undefined for plaintext if granted, else sealed. */
  encoding: ContentReadResult['encoding'] | undefined;
  /** Loads the ciphertext. Called after a grant is found. */
  loadCiphertext: () => Promise<StoredCiphertext>;
}

export type ContentReadResult =
  | { encoding: 'plaintext'; grantId: string; mediaType: string; bytes: Buffer }
  | { encoding: 'sealed'; grantId: string; content: string; key: { sealed: string; recipientKeyId: string } };

/** Reads content for a caller by a grant that covers it (docs/protocol/encryption.md#content-endpoints). */
@Injectable()
export class ContentReader {
  constructor(
    private readonly grants: KeyGrantsRepository,
    private readonly grantKeyStore: GrantKeyStore,
    private readonly sealedGrantVerifier: SealedGrantVerifier,
    private readonly clock: Clock,
  ) {}

  /** Returns complete content only. @throws ApiError 403 `no_content_grant`, 422 `grant_key_mismatch` */
  async readContent(caller: TokenPrincipal, request: ContentReadRequest): Promise<ContentReadResult> {
    const heldThumbprints = this.grantKeyStore.thumbprints;
    const grants = await this.grants.findCoveringGrants(caller, request, heldThumbprints, this.clock.currentDate());
    const grant = chooseGrant(grants, request.encoding);
    if (!grant) throw noContentGrant(describeMissingGrant(request.encoding));
    if (grant.kind === 'missing') throw createMissingKeyError(grant);
    const ciphertext = await request.loadCiphertext();
    const violation = findContentFormatViolation(ciphertext.content, ciphertext.keyId, ciphertext.place);
    if (violation) throw grantKeyMismatch(`The stored content ${violation}.`);
    if (grant.kind === 'service') return this.decryptGrantedContent(grant, ciphertext);
    const key = { sealed: grant.sealed_key, recipientKeyId: grant.recipient_key_id };
    return { encoding: 'sealed', grantId: grant.id, content: ciphertext.content, key };
  }

  private async decryptGrantedContent(grant: CoveringGrant, ciphertext: StoredCiphertext): Promise<ContentReadResult> {
    const key = await this.sealedGrantVerifier.openDataKey(grant, ciphertext.keyId);
    const bytes = await decryptContent(ciphertext.content, key).finally(() => key.fill(0));
    if (!bytes) throw grantKeyMismatch('The stored content does not decrypt with the granted key.');
    // Checks again, because the grant may have been revoked or expired during decryption.
    if (!(await this.grants.isGrantActive(grant.id, this.clock.currentDate()))) throw noContentGrant();
    return { encoding: 'plaintext', grantId: grant.id, mediaType: readMediaType(ciphertext.content), bytes };
  }
}

/** Chooses a grant. One with a missing key is the last choice, so that the error can name the key. */
function chooseGrant(grants: CoveringGrant[], encoding: ContentReadRequest['encoding']): CoveringGrant | undefined {
  const preferredKinds = {
    plaintext: ['service', 'missing'],
    sealed: ['caller'],
    any: ['service', 'caller', 'missing'],
  }[encoding ?? 'any'];
  const kind = preferredKinds.find((candidate) => grants.some((grant) => grant.kind === candidate));
  return grants.find((grant) => grant.kind === kind);
}

function createMissingKeyError(grant: CoveringGrant) {
  return grantKeyMismatch(
    `This grant is sealed to the grant key "${grant.recipient_key_id}", which this service no longer has. ` +
      'Ask the operator to add that key to GRANT_KEYS again, or create a new grant from a device.',
  );
}

function describeMissingGrant(encoding?: string): string | undefined {
  return encoding && `No key grant allows this caller to read this content in the encoding "${encoding}".`;
}

/** Returns `cty` of a validated JWE as a media type. Without a slash it is under application/ (RFC 7515 §4.1.10). */
function readMediaType(jwe: string): string {
  const header = Buffer.from(jwe.slice(0, jwe.indexOf('.')), 'base64url').toString();
  const { cty } = JSON.parse(header) as { cty: string };
  return cty.includes('/') ? cty : `application/${cty}`;
}
