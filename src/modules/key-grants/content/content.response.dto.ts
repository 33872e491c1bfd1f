import { ApiProperty } from '@nestjs/swagger';
import { IdField } from '../../../common/http';

/** Documents the hash that names what a decision is about. */
const ContentHashField = () =>
  ApiProperty({
    type: String,
    pattern: '^[A-Za-z0-9_-]{43}$',
    description: 'base64url of SHA-256 over the ASCII bytes of the compact JWE. A decision must repeat it.',
    example: 'LPJNul-wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ',
  });

/**
 * Content granted to the service, which decrypted it for this response (docs/protocol/encryption.md#content-endpoints).
 */
export class PlaintextContentDto {
  /** Id of the message, session, artifact or permission request. */
  @ApiProperty({ type: String, example: 'msg_01m7xsah51f6ctt8c84t8wbh7e' })
  id!: string;

  /** Session of the content, if any. */
  @IdField('ses')
  sessionId!: string | null;

  @ApiProperty({ type: String, enum: ['plaintext'], example: 'plaintext' })
  encoding!: 'plaintext';

  /**
   * Media type, as declared by the device that encrypted the content.
   * @example text/markdown
   */
  mediaType!: string;

  @ApiProperty({ type: String, example: 'All 214 tests pass.' })
  content!: string;

  /** Encoding of `content`: `utf8` if the bytes are valid UTF-8, else `base64`. */
  @ApiProperty({ type: String, enum: ['utf8', 'base64'], example: 'utf8' })
  contentEncoding!: 'utf8' | 'base64';

  /** Grant that allowed the read. */
  @IdField('grt')
  grantId!: string;
}

/** Data key sealed to the caller's own key. */
export class SealedKeyDto {
  /** Data key as an `oct` JWK in a compact JWE with `ECDH-ES+A256KW` and `A256GCM`. */
  @ApiProperty({ type: String, example: 'eyJhbGciOiJFQ0RILUVTK0EyNTZLVyIsLi4ufQ.d3JhcHBlZA.aXY.a2V5.dGFn' })
  sealed!: string;

  /**
   * `kid` of the recipient's key, else its RFC 7638 thumbprint.
   * @example reader-1
   */
  recipientKeyId!: string;
}

/** Content granted to the caller's own key, which the service cannot decrypt. */
export class SealedContentDto {
  /** Id of the message, session, artifact or permission request. */
  @ApiProperty({ type: String, example: 'msg_01m7xsah51f6ctt8c84t8wbh7e' })
  id!: string;

  /** Session of the content, if any. */
  @IdField('ses')
  sessionId!: string | null;

  @ApiProperty({ type: String, enum: ['sealed'], example: 'sealed' })
  encoding!: 'sealed';

  /** Compact JWE with `dir` and `A256GCM`, encrypted with the data key. */
  @ApiProperty({ type: String, example: 'eyJhbGciOiJkaXIiLCJlbmMiOiJBMjU2R0NNIiwuLi59..aXY.dGV4dA.dGFn' })
  content!: string;

  key!: SealedKeyDto;

  /** Grant that allowed the read. */
  @IdField('grt')
  grantId!: string;
}

/** Content of a permission request, which the service decrypted (docs/protocol/agents.md#permission-requests). */
export class PlaintextPermissionContentDto extends PlaintextContentDto {
  @ContentHashField()
  contentHash!: string;
}

/** Content of a permission request that the service cannot decrypt. */
export class SealedPermissionContentDto extends SealedContentDto {
  @ContentHashField()
  contentHash!: string;
}

/** Content of a permission request for an account device, which has the data key. */
export class DevicePermissionContentDto {
  @IdField('perm')
  id!: string;

  @IdField('ses')
  sessionId!: string;

  @ApiProperty({ type: String, enum: ['sealed'], example: 'sealed' })
  encoding!: 'sealed';

  /** Compact JWE with `dir` and `A256GCM`, encrypted with the data key. */
  @ApiProperty({ type: String, example: 'eyJhbGciOiJkaXIiLCJlbmMiOiJBMjU2R0NNIiwuLi59..aXY.dGV4dA.dGFn' })
  content!: string;

  /** A device does not receive a data key here. */
  @ApiProperty({ type: 'null', example: null })
  key!: null;

  /** A device reads without a grant. */
  @ApiProperty({ type: 'null', example: null })
  grantId!: null;

  @ContentHashField()
  contentHash!: string;
}
