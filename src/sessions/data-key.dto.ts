import { IsString, Matches, MaxLength } from 'class-validator';

const MAX_SEALED_KEY = 4_096;

/** The data key of a session or artifact, sealed to the account's content key (encryption.md). */
export class DataKeyDto {
  /** 1 to 128 visible ASCII characters */
  @Matches(/^[\x21-\x7e]{1,128}$/, { message: '$property must be 1 to 128 visible characters' })
  @IsString()
  kid!: string;

  @MaxLength(MAX_SEALED_KEY)
  @IsString()
  sealed!: string;
}
