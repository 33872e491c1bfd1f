import { IsIn, IsOptional } from 'class-validator';

export class ContentQuery {
  /** Which of the two, where both are granted; plaintext where there is one, unless asked otherwise. */
  @IsOptional()
  @IsIn(['plaintext', 'sealed'])
  encoding?: 'plaintext' | 'sealed';
}
