import {
  ArrayMaxSize,
  ArrayMinSize,
  ArrayUnique,
  IsArray,
  IsInt,
  IsOptional,
  IsString,
  Matches,
  Max,
  MaxLength,
  Min,
} from 'class-validator';
import { Label } from '../common/http';
import { IsRedirectUri } from './redirect-uri';

/** Without the characters that turn the direction of writing round: people read the name before they allow. */
const NO_BIDI = /^[^\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]*$/;
/** Absolute http or https without user information, or empty. */
const HOMEPAGE = /^(https?:\/\/[^\s/?#@\\\p{Cc}]+([/?#][^\s\\\p{Cc}]*)?)?$/u;

const NO_TWINS = '$property must not hold the same one twice';

export class CreateDeveloperAppDto {
  @Matches(NO_BIDI, { message: '$property must not turn the direction of writing' })
  @Label(100)
  name!: string;

  /** Empty: none */
  @IsOptional()
  @Matches(/^[^\0]*$/, { message: '$property must not hold a NUL' })
  @MaxLength(1000)
  @IsString()
  description?: string;

  /** http or https; empty: none */
  @IsOptional()
  @Matches(HOMEPAGE, { message: '$property must be an http or https URL' })
  @MaxLength(2000)
  @IsString()
  homepageUrl?: string;

  @IsRedirectUri({ each: true })
  @ArrayUnique({ message: NO_TWINS })
  @ArrayMaxSize(10)
  @ArrayMinSize(1)
  @IsArray()
  redirectUris!: string[];
}

/** What is left out stays as it is. */
export class UpdateDeveloperAppDto {
  @IsOptional()
  @Matches(NO_BIDI, { message: '$property must not turn the direction of writing' })
  @Label(100)
  name?: string;

  /** Empty: none */
  @IsOptional()
  @Matches(/^[^\0]*$/, { message: '$property must not hold a NUL' })
  @MaxLength(1000)
  @IsString()
  description?: string;

  /** http or https; empty: none */
  @IsOptional()
  @Matches(HOMEPAGE, { message: '$property must be an http or https URL' })
  @MaxLength(2000)
  @IsString()
  homepageUrl?: string;

  @IsOptional()
  @IsRedirectUri({ each: true })
  @ArrayUnique({ message: NO_TWINS })
  @ArrayMaxSize(10)
  @ArrayMinSize(1)
  @IsArray()
  redirectUris?: string[];
}

export class AddSecretDto {
  /** How long the other secrets go on working; absent: as long as they would without this one */
  @IsOptional()
  @Min(0)
  @Max(2_592_000)
  @IsInt()
  expireOthersInSeconds?: number;
}
