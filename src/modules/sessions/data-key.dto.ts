import { IsString, Matches, MaxLength } from 'class-validator';

const MAX_SEALED_DATA_KEY_LENGTH = 4_096;

/**
 * Data key of a session or artifact, sealed to the account's content key (docs/protocol/encryption.md#data-key).
 */
export class DataKeyDto {
  /**
   * Id of the key, 1 to 128 visible ASCII characters.
   * @example k1
   */
  @Matches(/^[\x21-\x7e]{1,128}$/, { message: '$property must be 1 to 128 visible characters' })
  @IsString()
  kid!: string;

  /**
   * Compact JWE of the key.
   * @example eyJhbGciOiJFQ0RILUVTK0EyNTZLVyIs….….….….…
   */
  @MaxLength(MAX_SEALED_DATA_KEY_LENGTH)
  @IsString()
  sealed!: string;
}
