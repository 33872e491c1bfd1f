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
import { DisplayName } from '../../common/http';
import { IsRedirectUri } from './redirect-uri';

/** Absolute http or https URL without user information, or an empty string. */
const HOMEPAGE_URL_PATTERN = /^(https?:\/\/[^\s/?#@\\\p{Cc}]+([/?#][^\s\\\p{Cc}]*)?)?$/u;

const DUPLICATE_URI_MESSAGE = '$property must not contain duplicates';

export class CreateDeveloperAppDto {
  @DisplayName(100)
  name!: string;

  /** Description of the app. An empty string clears it. */
  @IsOptional()
  @Matches(/^[^\0]*$/, { message: '$property must not contain NUL characters' })
  @MaxLength(1000)
  @IsString()
  description?: string;

  /** http or https URL. An empty string clears it. */
  @IsOptional()
  @Matches(HOMEPAGE_URL_PATTERN, { message: '$property must be an http or https URL' })
  @MaxLength(2000)
  @IsString()
  homepageUrl?: string;

  @IsRedirectUri({ each: true })
  @ArrayUnique({ message: DUPLICATE_URI_MESSAGE })
  @ArrayMaxSize(10)
  @ArrayMinSize(1)
  @IsArray()
  redirectUris!: string[];
}

/** Changes to an app. Absent members do not change. */
export class UpdateDeveloperAppDto {
  @IsOptional()
  @DisplayName(100)
  name?: string;

  /** Description of the app. An empty string clears it. */
  @IsOptional()
  @Matches(/^[^\0]*$/, { message: '$property must not contain NUL characters' })
  @MaxLength(1000)
  @IsString()
  description?: string;

  /** http or https URL. An empty string clears it. */
  @IsOptional()
  @Matches(HOMEPAGE_URL_PATTERN, { message: '$property must be an http or https URL' })
  @MaxLength(2000)
  @IsString()
  homepageUrl?: string;

  @IsOptional()
  @IsRedirectUri({ each: true })
  @ArrayUnique({ message: DUPLICATE_URI_MESSAGE })
  @ArrayMaxSize(10)
  @ArrayMinSize(1)
  @IsArray()
  redirectUris?: string[];
}

export class AddAppSecretDto {
  /** Seconds for which the other secrets still work. If absent, their expiry does not change. */
  @IsOptional()
  @Min(0)
  @Max(2_592_000)
  @IsInt()
  expireOthersInSeconds?: number;
}
