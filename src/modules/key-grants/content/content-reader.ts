import { Injectable } from '@nestjs/common';
import { findContentFormatViolation } from '@external-api/protocol';
import type { DevicePrincipal, Principal, TokenPrincipal } from '../../../access/auth';
import { Clock } from '../../../common/clock';
import type { StoredCiphertext } from '../../sessions';
import { grantKeyMismatch, noContentGrant } from '../key-grants.errors';
import { KeyGrantsRepository, type CoveringGrant } from '../key-grants.repository';
import { GrantKeyStore } from '../sealed/grant-key-store';
import { SealedGrantVerifier } from '../sealed/sealed-grant-verifier';
import { decryptContent } from './decrypt-content';

/** Place of a ciphertext, and how to read it. */
interface ContentTarget {
  /** Session and artifact whose grants may cover the text. */
  sessionId: string | null;
  artifactId: string | null;
  /** Requested encoding; undefined for plaintext if granted, else sealed. */
  encoding: ContentReadResult['encoding'] | undefined;
}

/** Request to read one ciphertext. */
export interface ContentReadRequest extends ContentTarget {
  /** Loads the ciphertext. Called after a grant is found. */
  loadCiphertext: () => Promise<StoredCiphertext>;
}

export type ContentReadResult =
  | { encoding: 'plaintext'; grantId: string; mediaType: string; bytes: Buffer }
  | { encoding: 'sealed'; grantId: string | null; content: string; key: SealedKey | null };

/** Data key that a grant seals to the caller's own key. */
interface SealedKey {
  sealed: string;
  recipientKeyId: string;
}

/**
 * Reads content for a token by a grant that covers it (docs/protocol/encryption.md#content-endpoints). An account
 * device needs none: it gets the ciphertext, whose data key it can open.
 */
@Injectable()
export class ContentReader {
  constructor(
    private readonly grants: KeyGrantsRepository,
    private readonly grantKeyStore: GrantKeyStore,
    private readonly sealedGrantVerifier: SealedGrantVerifier,
    private readonly clock: Clock,
  ) {}

  /** Returns complete content only. @throws ApiError 403 `no_content_grant`, 422 `grant_key_mismatch` */
  async readContent(caller: Principal, request: ContentReadRequest): Promise<ContentReadResult> {
    if (caller.kind === 'device') return readForDevice(caller, request);
    const grant = await this.requireGrant(caller, request);
    const ciphertext = await request.loadCiphertext();
    const violation = findContentFormatViolation(ciphertext.content, ciphertext.keyId, ciphertext.place);
    if (violation) throw grantKeyMismatch(`The stored content ${violation}.`);
    const result = await this.openContent(grant, ciphertext);
    // Checks again, because the grant may have been revoked or expired since it was found.
    if (!(await this.grants.isGrantActive(grant.id, this.clock.currentDate()))) throw noContentGrant();
    return result;
  }

  /** @throws ApiError the errors of `readContent` for a caller that may not read */
  async requireAccess(caller: Principal, request: ContentTarget): Promise<void> {
    if (caller.kind === 'device') requireAccountDevice(caller);
    else await this.requireGrant(caller, request);
  }

  /** @throws ApiError 403 `no_content_grant`, 422 `grant_key_mismatch` for a grant to a key that the service lost */
  private async requireGrant(caller: TokenPrincipal, request: ContentTarget): Promise<CoveringGrant> {
    const heldThumbprints = this.grantKeyStore.thumbprints;
    const grants = await this.grants.findCoveringGrants(caller, request, heldThumbprints, this.clock.currentDate());
    const grant = chooseGrant(grants, request.encoding);
    if (!grant) throw noContentGrant(describeMissingGrant(request.encoding));
    if (grant.kind === 'missing') throw createMissingKeyError(grant);
    return grant;
  }

  private async openContent(grant: CoveringGrant, ciphertext: StoredCiphertext): Promise<ContentReadResult> {
    if (grant.kind === 'caller') {
      const sealedKey = { sealed: grant.sealed_key, recipientKeyId: grant.recipient_key_id };
      return { encoding: 'sealed', grantId: grant.id, content: ciphertext.content, key: sealedKey };
    }
    const key = await this.sealedGrantVerifier.openDataKey(grant, ciphertext.keyId);
    const bytes = await decryptContent(ciphertext.content, key).finally(() => key.fill(0));
    if (!bytes) throw grantKeyMismatch('The stored content does not decrypt with the granted key.');
    return { encoding: 'plaintext', grantId: grant.id, mediaType: readMediaType(ciphertext.content), bytes };
  }
}

/**
 * Returns the ciphertext as stored.
 * @throws ApiError 403 `no_content_grant` for plaintext, which only a grant allows
 */
async function readForDevice(
  device: DevicePrincipal,
  { encoding, loadCiphertext }: ContentReadRequest,
): Promise<ContentReadResult> {
  requireAccountDevice(device);
  if (encoding === 'plaintext') throw noContentGrant(describeMissingGrant(encoding));
  const { content } = await loadCiphertext();
  return { encoding: 'sealed', grantId: null, content, key: null };
}

/** Machines read their sessions by the routes of devices. Here they would get every session of the account. */
function requireAccountDevice({ deviceKind }: DevicePrincipal): void {
  if (deviceKind !== 'account') throw noContentGrant();
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
