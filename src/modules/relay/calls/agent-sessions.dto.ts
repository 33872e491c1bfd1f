import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsOptional, IsString, Length, Matches, MaxLength } from 'class-validator';
import {
  AGENT_SESSION_ID,
  MAX_AGENT_SESSION_CURSOR_LENGTH,
  type ListAgentSessionsParams,
} from '@external-api/protocol';
import { QueryClampedInteger } from '../../../common/http';
import { isWellFormedId } from '../../../common/ids';

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 100;

/** Which sessions of a machine's agents to list (docs/protocol/agents.md#sessions-of-the-terminal). */
export class ListAgentSessionsQueryDto {
  /** Name of one of the machine's agents. By default, all of them. */
  @ApiPropertyOptional({ example: 'opencode' })
  @IsOptional()
  @Matches(/^[a-z0-9-]*$/, { message: '$property must consist of a-z, 0-9 and hyphens' })
  @Length(1, 64)
  @IsString()
  agent?: string;

  /** Folder of the sessions. By default, all folders that the device allows. */
  @ApiPropertyOptional({ example: '/srv/app' })
  @IsOptional()
  @Matches(/^[^\0]*$/, { message: '$property must not hold a NUL' })
  @MaxLength(4_096)
  @IsString()
  cwd?: string;

  /** Maximum number of sessions. By default, 50, and 100 at most. */
  @QueryClampedInteger(1, MAX_LIMIT)
  limit?: number;

  /** `nextCursor` of the previous page, with the same filters. */
  @IsOptional()
  @Length(1, MAX_AGENT_SESSION_CURSOR_LENGTH)
  @IsString()
  cursor?: string;
}

export function toListAgentSessionsParams(query: ListAgentSessionsQueryDto): ListAgentSessionsParams {
  const { agent, cwd, limit = DEFAULT_LIMIT, cursor } = query;
  return { agent: agent ?? null, cwd: cwd ?? null, limit, cursor: cursor ?? null };
}

type Result = Record<string, unknown>;

/**
 * Returns why a device's list of the sessions of its agents is not valid, or null. Callers name the ids in their next
 * calls, and repeat the cursor.
 */
export function findAgentSessionsViolation({ sessions, nextCursor, problems }: Result): string | null {
  if (!Array.isArray(sessions) || !sessions.every(isSession)) return 'The sessions of the agents are not valid.';
  if (!Array.isArray(problems) || !problems.every(isProblem)) return 'The problems of the agents are not valid.';
  const isCursor = isText(nextCursor) && nextCursor !== '' && nextCursor.length <= MAX_AGENT_SESSION_CURSOR_LENGTH;
  return nextCursor === null || isCursor ? null : 'The nextCursor is not valid.';
}

function isSession(value: unknown): boolean {
  const { agent, agentSessionId, title, cwd, updatedAt, sessionId, canFork } = (value ?? {}) as Result;
  return (
    isText(agent) &&
    isText(agentSessionId) &&
    AGENT_SESSION_ID.test(agentSessionId) &&
    (title === null || isText(title)) &&
    isText(cwd) &&
    (updatedAt === null || (isText(updatedAt) && !Number.isNaN(Date.parse(updatedAt)))) &&
    (sessionId === null || (isText(sessionId) && isWellFormedId('ses', sessionId))) &&
    typeof canFork === 'boolean'
  );
}

function isProblem(value: unknown): boolean {
  const { agent, code, message } = (value ?? {}) as Result;
  return [agent, code, message].every(isText);
}

const isText = (value: unknown): value is string => typeof value === 'string';
