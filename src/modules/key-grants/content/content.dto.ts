import { IsIn, IsOptional } from 'class-validator';

export class GetContentQueryDto {
  /** Encoding to return if both are granted; defaults to plaintext if granted, else sealed. */
  @IsOptional()
  @IsIn(['plaintext', 'sealed'])
  encoding?: 'plaintext' | 'sealed';
}
