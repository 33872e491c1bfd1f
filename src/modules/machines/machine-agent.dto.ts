import { ApiProperty } from '@nestjs/swagger';
import { ArrayMaxSize, ArrayUnique, IsArray, IsOptional, IsString, Length, Matches } from 'class-validator';
import { Label, NestedList } from '../../common/http';

const MAX_MODES = 32;
const MAX_OPTIONS = 32;

/** An option of an agent. Its values are those of each session (docs/protocol/agents.md#options-of-a-session). */
export class AgentOptionDto {
  /** @example model */
  @Matches(/^[\x20-\x7e]*$/, { message: '$property must consist of printable ASCII characters' })
  @Length(1, 128)
  @IsString()
  id!: string;

  /**
   * `mode`, `model`, `thought_level` or another one of the agent; null if it names none.
   * @example model
   */
  @ApiProperty({ type: String, nullable: true })
  @IsOptional()
  @Matches(/^[\x20-\x7e]*$/, { message: '$property must consist of printable ASCII characters' })
  @Length(1, 128)
  @IsString()
  category!: string | null;
}

/** Agent that a machine announces when it registers (docs/protocol/agents.md#agents-of-a-machine). */
export class AnnouncedAgentDto {
  @Matches(/^[a-z0-9-]*$/, { message: '$property must consist of a-z, 0-9 and hyphens' })
  @Length(1, 64)
  @IsString()
  name!: string;

  @IsOptional()
  @Label(100)
  title?: string;

  @IsOptional()
  @Label(64)
  version?: string;

  @IsOptional()
  @ArrayUnique()
  @Matches(/^[\x21-\x7e]*$/, {
    each: true,
    message: 'each value in $property must consist of visible ASCII characters',
  })
  @Length(1, 64, { each: true })
  @IsString({ each: true })
  @ArrayMaxSize(MAX_MODES)
  @IsArray()
  modes?: string[];

  @IsOptional()
  @NestedList(AgentOptionDto, MAX_OPTIONS, { minItems: 0 })
  options?: AgentOptionDto[];
}

/** Agent that can be started on a machine. */
export class MachineAgentDto {
  /**
   * Name to start it by.
   * @example opencode
   */
  name!: string;

  /** @example OpenCode */
  title!: string | null;

  /** @example 1.2.3 */
  version!: string | null;

  /** Modes that the agent offers, such as those that ask before each tool. */
  @ApiProperty({ example: ['build', 'plan'] })
  modes!: string[];

  /** Options that the agent offers. A session says which values they have. */
  options!: AgentOptionDto[];
}

/** Returns the agents as they are stored and shown: each with every member. */
export function toMachineAgents(announcedAgents: readonly AnnouncedAgentDto[]): MachineAgentDto[] {
  return announcedAgents.map(({ name, title = null, version = null, modes = [], options = [] }) => ({
    name,
    title,
    version,
    modes,
    // A device may leave the category out.
    options: options.map(({ id, category }) => ({ id, category: category ?? null })),
  }));
}
