import { parsePublicKey, sealJson } from '@external-api/protocol';
import { IsInt, Matches, Max, MaxLength, Min, IsString } from 'class-validator';
import { invalidBodyError } from '../../../common/errors';
import { getFormNumber } from '../forms/form-state';
import { parseFormDto } from '../forms/parse-form-dto';
import { getFormField, type FormFields } from '../html/read-page-form';

/**
 * Program on the person's own computer that asked for a token in this browser (docs/guide/cli.md#log-in). The token
 * goes back to it through the browser, sealed to a key of this one login, so that neither the browser's history nor
 * another program that took over the port learns it.
 */
export class LoopbackRecipientDto {
  /** X25519 public key: 32 bytes in Base64url */
  @Matches(/^[\w-]{43}$/)
  @MaxLength(43)
  @IsString()
  key!: string;

  /** Port of 127.0.0.1 on which the program waits */
  @Max(65_535)
  @Min(1)
  @IsInt()
  port!: number;

  /** Binds the answer to the login. */
  @Matches(/^[\w-]+$/)
  @MaxLength(100)
  @IsString()
  state!: string;
}

/**
 * Reads the recipient from the page's address or its form; null if the token is shown to the person.
 * @throws ApiError 400
 */
export async function readLoopbackRecipient(fields: FormFields): Promise<LoopbackRecipientDto | null> {
  if (fields.key === undefined && fields.port === undefined && fields.state === undefined) return null;
  const [key, state] = [getFormField(fields, 'key'), getFormField(fields, 'state')];
  const recipient = await parseFormDto(LoopbackRecipientDto, { key, port: getFormNumber(fields, 'port'), state });
  // A token whose key nothing can be sealed to would be created for nobody.
  await sealForRecipient(recipient, {}).catch(() => {
    throw invalidBodyError('/key', 'not_allowed', 'is not a usable X25519 key');
  });
  return recipient;
}

function sealForRecipient({ key }: LoopbackRecipientDto, payload: object): Promise<string> {
  return sealJson(payload, parsePublicKey({ kty: 'OKP', crv: 'X25519', x: key }, 'X25519'));
}

export const buildLoopbackOrigin = ({ port }: LoopbackRecipientDto): string => `http://127.0.0.1:${port}`;

/** Address that gives the token to the program. */
export async function buildTokenAddress(recipient: LoopbackRecipientDto, token: string): Promise<string> {
  return buildAnswerAddress(recipient, { token: await sealForRecipient(recipient, { token }) });
}

function buildAnswerAddress(recipient: LoopbackRecipientDto, answer: Record<string, string>): string {
  const query = new URLSearchParams({ state: recipient.state, ...answer });
  return `${buildLoopbackOrigin(recipient)}/callback?${query.toString()}`;
}

/** Says who gets the token, and lets the person refuse. */
export function LoopbackNotice({ recipient }: { recipient: LoopbackRecipientDto }) {
  return (
    <p class="notice">
      {'The program on this computer that asked for it gets this token. Go on only if you have just run '}
      <code>xapi login</code>
      {' here. '}
      <a href={buildAnswerAddress(recipient, { error: 'access_denied' })}>Refuse</a>
    </p>
  );
}

export function LoopbackFields({ recipient }: { recipient: LoopbackRecipientDto }) {
  return (
    <>
      {Object.entries(recipient).map(([name, value]) => (
        <input key={name} type="hidden" name={name} value={String(value)} />
      ))}
    </>
  );
}
