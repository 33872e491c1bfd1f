import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Clock, MINUTE } from '../../common/clock';
import { forbidden } from '../../common/errors';
import { hashToken } from '../../common/secret-token';
import { Config } from '../../config';
import { AppAuthorizations, RegisteredApps } from '../../developer-apps';
import { UnitOfWork } from '../../persistence';
import { isRegistered } from '../authorize/match-redirect-uri';
import type { AuthorizationRequest } from '../authorize/read-authorization-request';
import { redirectLocation, type RedirectTarget } from '../authorize/redirect-location';
import { Codes } from '../tokens/codes';
import { consentQuestion, describeApp, type AppDescription, type ConsentQuestion } from './consent-question';
import { OAuthRequestsRepository, type ConsentingPerson, type OAuthRequestRow } from './oauth-requests.repository';

const LIFETIME_MS = 10 * MINUTE;

export type OpenedConsent = ConsentQuestion | { kind: 'redirect'; location: string } | { kind: 'gone' };

/** What apps ask people for, and how people answer: what the consent pages stand on (oauth.md, Authorize). */
@Injectable()
export class ConsentRequests {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly requests: OAuthRequestsRepository,
    private readonly codes: Codes,
    private readonly apps: RegisteredApps,
    private readonly authorizations: AppAuthorizations,
    private readonly config: Config,
    private readonly clock: Clock,
  ) {}

  /** Keeps a checked request for ten minutes; answers its id, which nobody can guess. */
  async store(appId: string, target: RedirectTarget, request: AuthorizationRequest): Promise<string> {
    const id = newSecret();
    await this.requests.insert({
      hash: hashToken(id),
      appId,
      ...target,
      ...request,
      session: null,
      ticketHash: null,
      ticketAccountId: null,
      expiresAt: this.inTenMinutes(),
    });
    return id;
  }

  /** Which app waits, for the sign-in page before the question; null: nothing waits under this id. */
  async describe(requestId: string): Promise<AppDescription | null> {
    const appId = await this.requests.appOf(hashToken(requestId), this.clock.date());
    const app = appId === null ? null : await this.apps.find(appId);
    return app && describeApp(app);
  }

  /**
   * The question with the id of a new form, which replaces earlier ones; or, where a standing authorization answers
   * it, the way back to the app. The first session that opens a request owns it, for others it is gone.
   */
  open(requestId: string, person: ConsentingPerson): Promise<OpenedConsent> {
    return this.unitOfWork.run(async () => {
      const hash = hashToken(requestId);
      const row = await this.requests.bind(hash, person.session, this.clock.date());
      const app = row && (await this.apps.find(row.app_id));
      if (!app || !isRegistered(row.redirect_uri, app.redirectUris)) return { kind: 'gone' };
      const code = await this.codeWithoutAsking(row, person.accountId);
      if (code !== null) {
        await this.requests.delete(hash);
        return { kind: 'redirect', location: this.locationOf(row, { code }) };
      }
      const ticket = newSecret();
      await this.requests.setTicket(hash, hashToken(ticket), person.accountId, this.inTenMinutes());
      return consentQuestion(ticket, app, row);
    });
  }

  /**
   * The person's word. Answers where the browser goes with it.
   * @throws ApiError 403 for a form that is unknown, used, expired, replaced, or was shown to somebody else
   */
  decide(ticket: string, person: ConsentingPerson, word: 'allow' | 'deny'): Promise<{ location: string }> {
    return this.unitOfWork.run(async () => {
      const row = await this.requests.takeByTicket(hashToken(ticket), person, this.clock.date());
      if (!row) throw forbidden('This question was answered already, has expired, or was not asked here.');
      const app = await this.apps.find(row.app_id);
      if (!app || !isRegistered(row.redirect_uri, app.redirectUris)) throw noLonger();
      if (word === 'deny') return { location: this.locationOf(row, { error: 'access_denied' }) };
      return { location: this.locationOf(row, { code: await this.codeFor(row, person.accountId) }) };
    });
  }

  private async codeFor(row: OAuthRequestRow, accountId: string): Promise<string> {
    const authorizationId = await this.authorizations.grant(accountId, row.app_id, row.scopes);
    const code = authorizationId === null ? null : await this.codes.issue(authorizationId, row);
    if (code === null) throw noLonger();
    return code;
  }

  /** Only where nobody else can be listening at the redirect URI, and for nothing new (RFC 8252 §8.6). */
  private async codeWithoutAsking(row: OAuthRequestRow, accountId: string): Promise<string | null> {
    if (!row.redirect_uri.startsWith('https:')) return null;
    const standing = await this.authorizations.standing(accountId, row.app_id);
    const isCovered = standing && row.scopes.every((scope) => standing.scopes.includes(scope));
    return isCovered ? this.codes.issue(standing.id, row) : null;
  }

  private locationOf(row: OAuthRequestRow, answer: Record<string, string>): string {
    return redirectLocation({ redirectUri: row.redirect_uri, state: row.state }, this.config.publicUrl, answer);
  }

  private inTenMinutes(): Date {
    return new Date(this.clock.now() + LIFETIME_MS);
  }
}

function noLonger() {
  return forbidden('The app may not ask any more.');
}

function newSecret(): string {
  return randomBytes(32).toString('base64url');
}
