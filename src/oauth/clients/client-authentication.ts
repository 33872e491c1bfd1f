import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { normalizeIp } from '@nestjs/throttler';
import type { Request } from 'express';
import { AppSecretsService } from '../../developer-apps';
import { RateLimits } from '../../rate-limit';
import { InvalidClient, TooManyFailures, type OAuthError } from '../http/oauth-error';
import type { Parameters } from '../http/parameters';
import { clientCredentials, type ClientCredentials } from './client-credentials';

/** Which app calls, by its secret (RFC 6749 §2.3). */
@Injectable()
export class ClientAuthentication {
  constructor(
    private readonly secrets: AppSecretsService,
    private readonly limits: RateLimits,
  ) {}

  /**
   * The client's id. A right secret is served however many wrong ones came before it.
   * @throws InvalidClient, InvalidRequest, and TooManyFailures for a client and address that failed too often
   */
  async authenticate(request: Request, parameters: Parameters): Promise<string> {
    const { clientId, secret, byHeader } = await this.credentialsIn(request, parameters);
    if (await this.secrets.isRight(clientId, secret)) return clientId;
    throw await this.failure(request, clientId, new InvalidClient(byHeader));
  }

  private async credentialsIn(request: Request, parameters: Parameters): Promise<ClientCredentials> {
    try {
      return clientCredentials(request.headers.authorization, parameters);
    } catch (error) {
      throw error instanceof InvalidClient ? await this.failure(request, '', error) : error;
    }
  }

  private async failure(request: Request, clientId: string, failure: InvalidClient): Promise<OAuthError> {
    // Its hash, because what is sent as an id may be long, or a secret.
    const client = createHash('sha256').update(clientId).digest('base64url');
    const draw = await this.limits.draw('client-auth', `${client}:${normalizeIp(request.ip ?? '', 64)}`);
    return draw.refused ? new TooManyFailures(draw.state.reset) : failure;
  }
}
