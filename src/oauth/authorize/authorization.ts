import { Injectable } from '@nestjs/common';
import { Config } from '../../config';
import { RegisteredApps, type RegisteredApp } from '../../developer-apps';
import { ConsentRequests } from '../consent/consent-requests';
import { bytesOf, repeatedOf, textOf, type Parameters } from '../http/parameters';
import { isRegistered } from './match-redirect-uri';
import { MAX_STATE, readAuthorizationRequest } from './read-authorization-request';
import { redirectLocation } from './redirect-location';

/** A request of which it is not certain where its answer may go: the person is told, and nobody else. */
export class UnsafeRedirect extends Error {}

/** `GET /oauth/authorize`: an app sends a person's browser (RFC 6749 §4.1.1). */
@Injectable()
export class Authorization {
  constructor(
    private readonly apps: RegisteredApps,
    private readonly consents: ConsentRequests,
    private readonly config: Config,
  ) {}

  /**
   * Where the browser goes next: to the question, or back to the app with an error.
   * @throws UnsafeRedirect
   */
  async begin(parameters: Parameters): Promise<string> {
    const app = await this.appOf(parameters);
    const redirectUri = redirectUriOf(app, parameters);
    const state = bytesOf(parameters, 'state');
    // One that is too long is refused, and does not go back.
    const target = { redirectUri, state: state && state.length <= MAX_STATE ? state : null };
    const request = readAuthorizationRequest(parameters);
    if ('error' in request) {
      const { error, description } = request;
      return redirectLocation(target, this.config.publicUrl, { error, error_description: description });
    }
    const id = await this.consents.store(app.clientId, target, request);
    return `${this.config.publicUrl}/console/consent/${id}`;
  }

  private async appOf(parameters: Parameters): Promise<RegisteredApp> {
    if (repeatedOf(parameters, ['client_id'])) throw new UnsafeRedirect('client_id is given more than once.');
    const clientId = textOf(parameters, 'client_id');
    if (clientId === null) throw new UnsafeRedirect('client_id is missing.');
    const app = await this.apps.find(clientId);
    if (!app) throw new UnsafeRedirect('client_id names no app that is known here, or one that is disabled.');
    return app;
  }
}

function redirectUriOf({ redirectUris }: RegisteredApp, parameters: Parameters): string {
  if (repeatedOf(parameters, ['redirect_uri'])) {
    throw new UnsafeRedirect('redirect_uri is given more than once.');
  }
  const uri = textOf(parameters, 'redirect_uri');
  if (uri === null) throw new UnsafeRedirect('redirect_uri is missing.');
  if (!isRegistered(uri, redirectUris)) {
    throw new UnsafeRedirect('redirect_uri is none of those that the app has registered.');
  }
  return uri;
}
