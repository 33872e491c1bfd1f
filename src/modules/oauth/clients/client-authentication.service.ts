import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { isRepeatedHeader } from '../../../common/http';
import { AppSecretsService } from '../../developer-apps';
import { RateLimiter, toAddressOwner } from '../../../access/rate-limiting';
import { InvalidClientError, InvalidRequestError, TooManyFailuresError, type OAuthError } from '../http/oauth-error';
import { getParameterText, type FormParameters } from '../http/form-parameters';

/** Client credentials, from one of the two methods (RFC 6749 §2.3.1). */
interface ClientCredentials {
  clientId: string;
  secret: string;
  byHeader: boolean;
}

/** Authenticates apps by their client secret (RFC 6749 §2.3). */
@Injectable()
export class ClientAuthenticationService {
  constructor(
    private readonly secrets: AppSecretsService,
    private readonly limits: RateLimiter,
  ) {}

  /**
   * Returns the client id. A valid secret is accepted regardless of earlier failures.
   * @throws {InvalidClientError}
   * @throws {InvalidRequestError}
   * @throws {TooManyFailuresError} after too many failures of a client and address
   */
  async authenticateClient(request: Request, formParameters: FormParameters): Promise<string> {
    const { clientId, secret, byHeader } = await this.readCredentials(request, formParameters);
    if (await this.secrets.isValidSecret(clientId, secret)) return clientId;
    throw await this.recordFailure(request, clientId, new InvalidClientError(byHeader));
  }

  private async readCredentials(request: Request, formParameters: FormParameters): Promise<ClientCredentials> {
    if (isRepeatedHeader(request, 'authorization')) {
      throw new InvalidRequestError('Authorization is given more than once.');
    }
    try {
      return readClientCredentials(request.headers.authorization, formParameters);
    } catch (error) {
      throw error instanceof InvalidClientError ? await this.recordFailure(request, '', error) : error;
    }
  }

  /** Consumes from the bucket after the check of the secret, because a valid secret is never limited. */
  private async recordFailure(request: Request, clientId: string, error: InvalidClientError): Promise<OAuthError> {
    // Hashed, since the submitted id may be long or contain a secret.
    const clientIdHash = createHash('sha256').update(clientId).digest('base64url');
    const limitResult = await this.limits.consume('client-auth', `${clientIdHash}:${toAddressOwner(request.ip)}`);
    return limitResult.isLimited ? new TooManyFailuresError(limitResult.state.reset) : error;
  }
}

/**
 * Reads credentials from HTTP Basic or body parameters, but not both.
 * @throws {InvalidRequestError} when both methods are used
 * @throws {InvalidClientError} when credentials are missing or incomplete
 */
export function readClientCredentials(
  authorization: string | undefined,
  formParameters: FormParameters,
): ClientCredentials {
  const clientId = getParameterText(formParameters, 'client_id');
  const secret = getParameterText(formParameters, 'client_secret');
  if (authorization !== undefined) {
    if (secret !== null) throw new InvalidRequestError('Use either HTTP Basic or client_secret, not both.');
    const headerCredentials = parseBasicCredentials(authorization);
    if (!headerCredentials) throw new InvalidClientError(true);
    if (clientId !== null && clientId !== headerCredentials.clientId) {
      throw new InvalidRequestError('client_id is not that of the Authorization header.');
    }
    return { ...headerCredentials, byHeader: true };
  }
  if (clientId === null || secret === null) throw new InvalidClientError(false);
  return { clientId, secret, byHeader: false };
}

/**
 * Parses HTTP Basic (RFC 7617 §2). Accepts id and secret form-encoded, as RFC 6749 §2.3.1 requires, or unencoded, as
 * many clients send them.
 */
function parseBasicCredentials(authorization: string): { clientId: string; secret: string } | null {
  const [, encoded] = /^basic +([A-Za-z0-9+/_-]+={0,2})\s*$/i.exec(authorization) ?? [];
  if (encoded === undefined) return null;
  const text = Buffer.from(encoded, 'base64').toString();
  const colon = text.indexOf(':');
  if (colon < 0) return null;
  return { clientId: decodeFormText(text.slice(0, colon)), secret: decodeFormText(text.slice(colon + 1)) };
}

function decodeFormText(text: string): string {
  try {
    return decodeURIComponent(text.replace(/\+/g, ' '));
  } catch {
    return text;
  }
}
