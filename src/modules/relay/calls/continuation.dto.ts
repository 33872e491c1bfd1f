import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsBoolean, IsOptional, IsString, Matches } from 'class-validator';
import { AGENT_SESSION_ID, type Continuation } from '@external-api/protocol';
import { invalidBodyError } from '../../../common/errors';

/** The agent's session that a start continues (docs/protocol/agents.md#continue-a-session-of-the-terminal). */
export class ContinuationDto {
  /**
   * The agent's own id of a session to continue, as `agentSessionId` of the machine's agent sessions. By default, the
   * agent begins an empty one.
   */
  @ApiPropertyOptional({ example: '6f1d2c9e-8a41-4c0b-9a53-b7e0c1f5d2aa', nullable: true })
  @IsOptional()
  @Matches(AGENT_SESSION_ID, { message: '$property must be 1 to 256 visible ASCII characters' })
  @IsString()
  resume?: string;

  /**
   * Whether to continue a copy of it. The agent's session stays as it is, for example for a person who still works in
   * it. Requires `resume`.
   */
  @ApiPropertyOptional({ default: false, example: true })
  @IsOptional()
  @IsBoolean()
  fork?: boolean;
}

/** Returns what the device gets; nothing for a new session. @throws ApiError 400 for `fork` without `resume` */
export function toContinuation({ resume, fork }: ContinuationDto): Continuation {
  if (resume) return { resume, fork: fork ?? false };
  if (!fork) return {};
  throw invalidBodyError('/fork', 'not_allowed', 'needs /resume, the session to copy');
}
