import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import {
  IsIn,
  IsOptional,
  IsString,
  Length,
  Matches,
  registerDecorator,
  type ValidationArguments,
} from 'class-validator';
import {
  findAnswersFormatViolation,
  MAX_DECISION_MESSAGE_LENGTH,
  MAX_QUESTION_FIELDS,
  MAX_SEALED_ANSWERS_LENGTH,
  MAX_SEALED_DECISION_MESSAGE_LENGTH,
  type Answers,
  type DecisionMessageParams,
} from '@external-api/protocol';
import { invalidBodyError } from '../../../common/errors';
import { AllowNul } from '../../../common/http';
import type { PermissionChoice } from '../../permission-requests';

const DECISIONS = ['allow', 'reject', 'decline'] as const;

/** A decision on a permission request (docs/protocol/agents.md#decisions). */
export class DecidePermissionDto {
  /**
   * `allow` selects the first option of the kind `allow_once`, `reject` the first of the kind `reject_once`. `decline`
   * declines a question. Exactly one of `decision`, `optionId`, `answers` and `sealedAnswers` is required.
   */
  @ApiPropertyOptional({ type: String, enum: DECISIONS, example: 'allow' })
  @IsOptional()
  @IsIn(DECISIONS)
  decision?: (typeof DECISIONS)[number];

  /** One of the options of the request, of any kind. */
  @ApiPropertyOptional({ example: 'o2' })
  @IsOptional()
  @Matches(/^[\x21-\x7e]{1,64}$/, { message: '$property must be 1 to 64 visible characters' })
  @IsString()
  optionId?: string;

  @AnswersField()
  @IsOptional()
  @IsAnswers()
  answers?: Answers;

  /**
   * Answers that you have encrypted with the data key of the session: a compact JWE, bound to `contentHash`. The
   * service can't read it.
   */
  @ApiPropertyOptional({ example: 'eyJhbGciOiJkaXIi….….…' })
  @IsOptional()
  @Length(1, MAX_SEALED_ANSWERS_LENGTH)
  @IsString()
  sealedAnswers?: string;

  /**
   * The next prompt of the session, before queued messages, when the running turn has ended. A decision that rejects or
   * declines ends it first. Requires `sessions:write`.
   */
  @ApiPropertyOptional({ example: 'Use the build cache instead of deleting it.' })
  @IsOptional()
  @AllowNul()
  @Matches(/\S/, { message: '$property must not be blank' })
  @Length(1, MAX_DECISION_MESSAGE_LENGTH)
  @IsString()
  message?: string;

  /**
   * A `message` that you have encrypted with the data key of the session: a compact JWE, bound to `contentHash` and the
   * role `user`. The service can't read it.
   */
  @ApiPropertyOptional({ example: 'eyJhbGciOiJkaXIi….….…' })
  @IsOptional()
  @Length(1, MAX_SEALED_DECISION_MESSAGE_LENGTH)
  @IsString()
  sealedMessage?: string;

  /** The `contentHash` that came with the content. */
  @ApiProperty({ example: 'LPJNul-wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ' })
  @Matches(/^[A-Za-z0-9_-]{43}$/, { message: '$property must be base64url of a SHA-256 hash' })
  @IsString()
  contentHash!: string;
}

/** @throws ApiError 400 unless exactly one way to decide is given. A null member counts as absent. */
export function toPermissionChoice({ decision, ...others }: DecidePermissionDto): PermissionChoice {
  const { optionId, answers, sealedAnswers } = others;
  const choices = [
    ['decision', decision && (decision === 'decline' ? { answers: null } : { decision })],
    ['optionId', optionId && { optionId }],
    ['answers', answers && { answers }],
    ['sealedAnswers', sealedAnswers && { sealedAnswers }],
  ] as const;
  const [first, second] = choices.flatMap(([name, choice]) => (choice ? [{ name, choice }] : []));
  if (!first) throw invalidBodyError('/decision', 'required', 'is required without optionId, answers or sealedAnswers');
  if (second) throw invalidBodyError(`/${second.name}`, 'not_allowed', `must not be given with ${first.name}`);
  return first.choice;
}

/** @throws ApiError 400 for a message in both forms. A null member counts as absent. */
export function toDecisionMessage({ message, sealedMessage }: DecidePermissionDto): DecisionMessageParams {
  if (message && sealedMessage)
    throw invalidBodyError('/sealedMessage', 'not_allowed', 'must not be given with message');
  return { ...(message && { message }), ...(sealedMessage && { sealedMessage }) };
}

/** Documents answers to a question. */
function AnswersField(): PropertyDecorator {
  return ApiPropertyOptional({
    type: 'object',
    description:
      'Answers to a question by the names of its fields, at most 8,192 bytes of JSON. They pass through the service ' +
      'in the clear, and the device compares them with the schema of the question.',
    maxProperties: MAX_QUESTION_FIELDS,
    additionalProperties: {
      oneOf: [
        { type: 'string' },
        { type: 'number' },
        { type: 'boolean' },
        { type: 'array', items: { type: 'string' } },
      ],
    },
    example: { database: 'postgres' },
  });
}

/** Validates the form of answers. The schema of the question is encrypted, so only the device compares them with it. */
function IsAnswers(): PropertyDecorator {
  return (target, propertyName) =>
    registerDecorator({
      name: 'isAnswers',
      target: target.constructor,
      propertyName: propertyName as string,
      validator: {
        validate: (value: unknown) => findAnswersFormatViolation(value) === null,
        defaultMessage: (args?: ValidationArguments) => `$property ${findAnswersFormatViolation(args?.value)}`,
      },
    });
}
