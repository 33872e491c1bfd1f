import { ApiExtraModels, ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { registerDecorator } from 'class-validator';
import { isRecipientPublicKey, RecipientKeyDto } from '../../key-grants';

/** The caller's own key, to which the key of a new session is granted. */
@ApiExtraModels(RecipientKeyDto)
export class StartGrantDto {
  /**
   * Public JWK for encryption, on X25519 or P-256. Only the holder of its private key can read, and the service can't.
   * Besides the listed members it may have `use` `enc`, `alg` `ECDH-ES+A256KW`, an empty `key_ops`, and `ext`.
   */
  @ApiProperty()
  recipient!: RecipientKeyDto;
}

/** Documents a boolean or the recipient of a grant. Its class needs `@ApiExtraModels(StartGrantDto)`. */
export function StartGrantField(): PropertyDecorator {
  return ApiPropertyOptional({
    description:
      'Lets the calling token read the session, without a click in the console. `true`: through the service, which ' +
      'then can decrypt this session. An object: only with your own key. Requires the scope `sessions:content`. ' +
      '`result.grant` has the id of the key grant, or is null, and `result.grantError` says why.',
    oneOf: [{ type: 'boolean' }, { $ref: '#/components/schemas/StartGrant' }],
    example: true,
  });
}

/** Validates a boolean, or an object with the caller's public key and nothing else. */
export function IsStartGrant(): PropertyDecorator {
  return (target, propertyName) =>
    registerDecorator({
      name: 'isStartGrant',
      target: target.constructor,
      propertyName: propertyName as string,
      validator: {
        validate: (value: unknown) => typeof value === 'boolean' || isStartGrant(value),
        defaultMessage: () =>
          '$property must be a boolean, or an object whose only member recipient is a public JWK for encryption on ' +
          'X25519 or P-256',
      },
    });
}

function isStartGrant(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const { recipient, ...others } = value as Record<string, unknown>;
  return isRecipientPublicKey(recipient) && Object.keys(others).length === 0;
}
