import { Injectable } from '@nestjs/common';
import { Config } from '../../../core/config';
import { RegisteredAppReader, type RegisteredApp } from '../../developer-apps';
import { ConsentService } from '../consent/consent.service';
import {
  getParameterBytes,
  findRepeatedParameter,
  getParameterText,
  type FormParameters,
} from '../http/form-parameters';
import { isRegisteredRedirectUri } from './match-redirect-uri';
import { MAX_STATE_BYTES, readAuthorizationRequest } from './read-authorization-request';
import { buildRedirectLocation } from './redirect-location';

/** Thrown when the redirect URI can't be trusted. The error is shown to the user and never sent to the app. */
export class UnsafeRedirectError extends Error {}

/** Handles `GET /oauth/authorize` (RFC 6749 §4.1.1). */
@Injectable()
export class AuthorizationService {
  constructor(
    private readonly apps: RegisteredAppReader,
    private readonly consentService: ConsentService,
    private readonly config: Config,
  ) {}

  /**
   * Returns the URL to redirect to: the consent page, or the app's redirect URI with an error.
   * @throws {UnsafeRedirectError}
   */
  async startAuthorization(formParameters: FormParameters): Promise<string> {
    const app = await this.findRequestingApp(formParameters);
    const redirectUri = requireRegisteredRedirectUri(app, formParameters);
    const state = getParameterBytes(formParameters, 'state');
    // A state that is too long is rejected and not returned.
    const target = { redirectUri, state: state && state.length <= MAX_STATE_BYTES ? state : null };
    const request = readAuthorizationRequest(formParameters);
    if ('error' in request) {
      const { error, description } = request;
      return buildRedirectLocation(target, this.config.publicUrl, { error, error_description: description });
    }
    const id = await this.consentService.createConsentRequest(app.clientId, target, request);
    return `${this.config.publicUrl}/console/consent/${id}`;
  }

  private async findRequestingApp(formParameters: FormParameters): Promise<RegisteredApp> {
    if (findRepeatedParameter(formParameters, ['client_id']))
      throw new UnsafeRedirectError('client_id is given more than once.');
    const clientId = getParameterText(formParameters, 'client_id');
    if (clientId === null) throw new UnsafeRedirectError('client_id is missing.');
    const app = await this.apps.findActiveApp(clientId);
    if (!app) throw new UnsafeRedirectError('client_id is unknown, or names a disabled app.');
    return app;
  }
}

function requireRegisteredRedirectUri({ redirectUris }: RegisteredApp, formParameters: FormParameters): string {
  if (findRepeatedParameter(formParameters, ['redirect_uri'])) {
    throw new UnsafeRedirectError('redirect_uri is given more than once.');
  }
  const uri = getParameterText(formParameters, 'redirect_uri');
  if (uri === null) throw new UnsafeRedirectError('redirect_uri is missing.');
  if (!isRegisteredRedirectUri(uri, redirectUris)) {
    throw new UnsafeRedirectError('redirect_uri does not match a registered redirect URI of the app.');
  }
  return uri;
}
