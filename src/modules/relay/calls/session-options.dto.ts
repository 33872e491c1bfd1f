import { ApiPropertyOptional } from '@nestjs/swagger';
import { MAX_SESSION_OPTIONS, OPTION_TEXT_PATTERN, type OptionValues } from '@external-api/protocol';
import { invalidBodyError } from '../../../common/errors';
import { TextMap, type TextMapRules } from '../../../common/http';

/** Ids of an agent's options, with the values that the caller chooses. */
export const OPTION_VALUES: TextMapRules = {
  maxMembers: MAX_SESSION_OPTIONS,
  pattern: OPTION_TEXT_PATTERN,
  form: '1 to 128 printable ASCII characters',
};

/** Values to choose, by the ids of the agent's options (docs/protocol/agents.md#options-of-a-session). */
@TextMap(OPTION_VALUES)
export class ChangeOptionsDto {
  [optionId: string]: string;
}

/** Documents the options of a start. */
export function OptionValuesField(): PropertyDecorator {
  return ApiPropertyOptional({
    type: 'object',
    minProperties: 1,
    maxProperties: MAX_SESSION_OPTIONS,
    additionalProperties: { type: 'string', pattern: OPTION_TEXT_PATTERN.source },
    example: { model: 'opus', effort: 'high' },
    description:
      'Values of the options that the agent offers, by their ids: those of the machine record in `agents[].options`. ' +
      'An option or a value that the agent does not have is an error, and no session is started.',
  });
}

/** Returns what the device gets; nothing without options. @throws ApiError 400 for two modes */
export function toChosenOptions(start: { mode?: string | null; options?: OptionValues | null }): {
  options?: OptionValues;
} {
  const { mode, options } = start;
  if (!options) return {};
  if (typeof mode !== 'string' || !Object.hasOwn(options, 'mode')) return { options };
  throw invalidBodyError('/options/mode', 'not_allowed', 'must not be given with /mode');
}

export type { OptionValues };
