import { ApiProperty } from '@nestjs/swagger';
import { IdField } from '../../common/http';

/** What was granted to the service, opened by it for this one answer (encryption.md, Content endpoints). */
export class PlaintextContent {
  /** Of the message or the artifact. */
  @ApiProperty({ type: String, example: 'msg_01m7xsah51f6ctt8c84t8wbh7e' })
  id!: string;

  /** The session that it is of, if any. */
  @IdField('ses')
  sessionId!: string | null;

  @ApiProperty({ type: String, enum: ['plaintext'], example: 'plaintext' })
  encoding!: 'plaintext';

  /**
   * As the device that encrypted it declared it.
   * @example text/markdown
   */
  mediaType!: string;

  @ApiProperty({ type: String, example: 'All 214 tests pass.' })
  content!: string;

  /** `utf8` where the bytes are valid UTF-8. */
  @ApiProperty({ type: String, enum: ['utf8', 'base64'], example: 'utf8' })
  contentEncoding!: 'utf8' | 'base64';

  /** The grant by which it is read. */
  @IdField('grt')
  grantId!: string;
}

/** The data key, sealed to the caller's own key. */
export class SealedKey {
  /** Compact JWE, `ECDH-ES+A256KW` and `A256GCM`: the data key as an `oct` JWK. */
  @ApiProperty({ type: String, example: 'eyJhbGciOiJFQ0RILUVTK0EyNTZLVyIsLi4ufQ.d3JhcHBlZA.aXY.a2V5.dGFn' })
  sealed!: string;

  /**
   * `kid` of the key that it is sealed to, else its RFC 7638 thumbprint.
   * @example reader-1
   */
  recipientKeyId!: string;
}

/** What was granted to a key of the caller's own: the service cannot read it. */
export class SealedContent {
  /** Of the message or the artifact. */
  @ApiProperty({ type: String, example: 'msg_01m7xsah51f6ctt8c84t8wbh7e' })
  id!: string;

  /** The session that it is of, if any. */
  @IdField('ses')
  sessionId!: string | null;

  @ApiProperty({ type: String, enum: ['sealed'], example: 'sealed' })
  encoding!: 'sealed';

  /** Compact JWE, `dir` and `A256GCM`, under the data key. */
  @ApiProperty({ type: String, example: 'eyJhbGciOiJkaXIiLCJlbmMiOiJBMjU2R0NNIiwuLi59..aXY.dGV4dA.dGFn' })
  content!: string;

  key!: SealedKey;

  /** The grant by which it is read. */
  @IdField('grt')
  grantId!: string;
}
