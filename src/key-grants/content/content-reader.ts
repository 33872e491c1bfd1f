import { Injectable } from '@nestjs/common';
import type { TokenPrincipal } from '../../auth';
import { Clock } from '../../common/clock';
import { contentFault, type ContentPlace } from '../../wire';
import { grantKeyMismatch, noContentGrant } from '../key-grants.errors';
import { KeyGrantsRepository, type CoveringGrant } from '../key-grants.repository';
import { GrantKeys } from '../sealed/grant-keys';
import { SealedGrants } from '../sealed/sealed-grants';
import { decryptContent } from './decrypt-content';

/** A text as it is stored. */
export interface Ciphertext {
  content: string;
  keyId: string;
  place: ContentPlace;
}

/** What a caller asks to read. */
export interface Asked {
  /** Where grants that may cover it hang. */
  sessionId: string | null;
  artifactId: string | null;
  /** undefined: plaintext where it is granted, else sealed */
  encoding: ReadContent['encoding'] | undefined;
  /** Loads the text, once a grant is found. */
  text: () => Promise<Ciphertext>;
}

export type ReadContent =
  | { encoding: 'plaintext'; grantId: string; mediaType: string; bytes: Buffer }
  | { encoding: 'sealed'; grantId: string; content: string; key: { sealed: string; recipientKeyId: string } };

/** Reads one text for a caller by a grant that covers it (encryption.md, Content endpoints). */
@Injectable()
export class ContentReader {
  constructor(
    private readonly grants: KeyGrantsRepository,
    private readonly keys: GrantKeys,
    private readonly sealed: SealedGrants,
    private readonly clock: Clock,
  ) {}

  /** @throws ApiError 403 `no_content_grant`, 422 `grant_key_mismatch`; never a partial text */
  async read(caller: TokenPrincipal, asked: Asked): Promise<ReadContent> {
    const held = this.keys.thumbprints;
    const grants = await this.grants.covering(caller, asked, held, this.clock.date());
    const grant = choose(grants, asked.encoding);
    if (!grant) throw noContentGrant(absence(asked.encoding));
    if (grant.kind === 'missing') throw missingKey(grant);
    const text = await asked.text();
    const fault = contentFault(text.content, text.keyId, text.place);
    if (fault) throw grantKeyMismatch(`The stored text ${fault}.`);
    if (grant.kind === 'service') return this.open(grant, text);
    const key = { sealed: grant.sealed_key, recipientKeyId: grant.recipient_key_id };
    return { encoding: 'sealed', grantId: grant.id, content: text.content, key };
  }

  private async open(grant: CoveringGrant, text: Ciphertext): Promise<ReadContent> {
    const key = await this.sealed.open(grant, text.keyId);
    const bytes = await decryptContent(text.content, key).finally(() => key.fill(0));
    if (!bytes) throw grantKeyMismatch('The stored text does not decrypt with the granted key.');
    // Revoked or expired while it was opened: as if it had never been read.
    if (!(await this.grants.stillStands(grant.id, this.clock.date()))) throw noContentGrant();
    return { encoding: 'plaintext', grantId: grant.id, mediaType: mediaTypeOf(text.content), bytes };
  }
}

/** One whose key is missing only where there is no other, so that this is said. */
function choose(grants: CoveringGrant[], encoding: Asked['encoding']): CoveringGrant | undefined {
  const preferred = {
    plaintext: ['service', 'missing'],
    sealed: ['caller'],
    any: ['service', 'caller', 'missing'],
  }[encoding ?? 'any'];
  const kind = preferred.find((candidate) => grants.some((grant) => grant.kind === candidate));
  return grants.find((grant) => grant.kind === kind);
}

function missingKey(grant: CoveringGrant) {
  return grantKeyMismatch(
    `This grant is sealed to the grant key "${grant.recipient_key_id}", which this service no longer has. ` +
      'Its operator can add that key to GRANT_KEYS again, or a device grants anew.',
  );
}

function absence(encoding?: string): string | undefined {
  return encoding && `No key grant covers this content for this caller in the encoding "${encoding}".`;
}

/** `cty` of a checked text as a media type: without a slash it is one under application/ (RFC 7515 §4.1.10). */
function mediaTypeOf(jwe: string): string {
  const header = Buffer.from(jwe.slice(0, jwe.indexOf('.')), 'base64url').toString();
  const { cty } = JSON.parse(header) as { cty: string };
  return cty.includes('/') ? cty : `application/${cty}`;
}
