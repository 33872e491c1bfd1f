import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { isRepeatedHeader } from '../../../common/http';
import { AppSecretsService, RegisteredAppReader } from '../../developer-apps';
import { RateLimiter, toAddressOwner, type RateLimitResult } from '../../../access/rate-limiting';
import { InvalidClientError, InvalidRequestError, OAuthError, TooManyFailuresError } from '../http/oauth-error';
import { getParameterText, type FormParameters } from '../http/form-parameters';
import { readOAuthForm } from '../http/read-oauth-form';

/** Client credentials, from one of the two methods (RFC 6749 §2.3.1). */
interface ClientCredentials {
  clientId: string;
  secret: string;
  byHeader: boolean;
}

/** Form of an app whose credentials are valid. */
export interface AuthenticatedForm {
  clientId: string;
  parameters: FormParameters;
}

/** Authenticates apps by their client secret (RFC 6749 §2.3). */
@Injectable()
export class ClientAuthenticationService {
  constructor(
    private readonly secrets: AppSecretsService,
    private readonly apps: RegisteredAppReader,
    private readonly limits: RateLimiter,
  ) {}

  /**
   * Reads the form and authenticates the client by it or by HTTP Basic. Consumes from the bucket of the address first,
   * also for a form that the client never completes, and refunds calls that name an app. A valid secret is accepted
   * regardless of earlier failures.
   * @throws {InvalidClientError}
   * @throws {InvalidRequestError}
   * @throws {TooManyFailuresError} after too many failures
   */
  async readAuthenticatedForm(request: Request, response: Response): Promise<AuthenticatedForm> {
    const address = toAddressOwner(request.ip);
    const consumed = await this.limits.consume('address', address);
    let clientId: string | null = null;
    try {
      const parameters = await readOAuthForm(request, response);
      if (isRepeatedHeader(request, 'authorization')) {
        throw new InvalidRequestError('Authorization is given more than once.');
      }
      const credentials = readClientCredentials(request.headers.authorization, parameters);
      clientId = credentials.clientId;
      if (await this.secrets.isValidSecret(clientId, credentials.secret)) {
        await this.limits.refund('address', address);
        return { clientId, parameters };
      }
      throw new InvalidClientError(credentials.byHeader);
    } catch (error) {
      if (!(error instanceof OAuthError)) await this.limits.refund('address', address);
      else if (clientId !== null) await this.limitWrongSecret(clientId, address, consumed);
      else if (consumed.isLimited) throw new TooManyFailuresError(consumed);
      throw error;
    }
  }

  /** A wrong secret of an app consumes from its bucket for the address. Unknown apps share that of the address. */
  private async limitWrongSecret(clientId: string, address: string, consumed: RateLimitResult): Promise<void> {
    const app = await this.apps.findActiveApp(clientId);
    if (app) await this.limits.refund('address', address);
    const result = app ? await this.limits.consume('client-auth', `${clientId}:${address}`) : consumed;
    if (result.isLimited) throw new TooManyFailuresError(result);
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
