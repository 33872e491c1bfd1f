import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { Scope } from '../../../access/auth';
import { Clock, MINUTE } from '../../../common/clock';
import { forbiddenError } from '../../../common/errors';
import { hashSecretToken } from '../../../common/secret-token';
import { Config } from '../../../core/config';
import { AppAuthorizationsService, RegisteredAppReader } from '../../developer-apps';
import { UnitOfWork } from '../../../core/database';
import { isRegisteredRedirectUri } from '../authorize/match-redirect-uri';
import type { AuthorizationRequest } from '../authorize/read-authorization-request';
import { buildRedirectLocation, type RedirectTarget } from '../authorize/redirect-location';
import { AuthorizationCodesService } from '../tokens/authorization-codes.service';
import {
  buildConsentPrompt,
  toRequestingAppDescription,
  type RequestingAppDescription,
  type ConsentPrompt,
} from './consent-prompt';
import { OAuthRequestsRepository, type ConsentingUser, type OAuthRequestRow } from './oauth-requests.repository';

const CONSENT_REQUEST_LIFETIME_MS = 10 * MINUTE;

export type OpenConsentResult = ConsentPrompt | { kind: 'redirect'; location: string } | { kind: 'gone' };

/**
 * Stores authorization requests and records the user's decisions for the consent pages
 * (docs/protocol/oauth.md#consent).
 */
@Injectable()
export class ConsentService {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly requests: OAuthRequestsRepository,
    private readonly authorizationCodesService: AuthorizationCodesService,
    private readonly apps: RegisteredAppReader,
    private readonly authorizations: AppAuthorizationsService,
    private readonly config: Config,
    private readonly clock: Clock,
  ) {}

  /** Stores a validated request for ten minutes. Returns its id, a random secret. */
  async createConsentRequest(appId: string, target: RedirectTarget, request: AuthorizationRequest): Promise<string> {
    const id = generateSecret();
    await this.requests.insert({
      hash: hashSecretToken(id),
      appId,
      ...target,
      ...request,
      session: null,
      ticketHash: null,
      ticketAccountId: null,
      expiresAt: this.getExpiryTime(),
    });
    return id;
  }

  /** Returns the requesting app for the sign-in page, or null when no request has this id. */
  async findRequestingApp(requestId: string): Promise<RequestingAppDescription | null> {
    const appId = await this.requests.findAppId(hashSecretToken(requestId), this.clock.currentDate());
    const app = appId === null ? null : await this.apps.findActiveApp(appId);
    return app && toRequestingAppDescription(app);
  }

  /**
   * Returns the consent prompt with a new form ticket that replaces earlier ones, or a redirect to the app when an
   * active authorization already covers the request. The first login that opens a request owns it; others get `gone`.
   */
  openConsentRequest(requestId: string, user: ConsentingUser): Promise<OpenConsentResult> {
    return this.unitOfWork.runInTransaction(async () => {
      const hash = hashSecretToken(requestId);
      const row = await this.requests.bindToLogin(hash, user.loginId, this.clock.currentDate());
      const app = row && (await this.apps.findActiveApp(row.app_id));
      if (!app || !isRegisteredRedirectUri(row.redirect_uri, app.redirectUris)) return { kind: 'gone' };
      const activeAuthorization = await this.authorizations.findActiveAuthorization(user.accountId, row.app_id);
      const code = await this.issueCodeIfAlreadyGranted(row, activeAuthorization);
      if (code !== null) {
        await this.requests.delete(hash);
        return { kind: 'redirect', location: this.buildAppLocation(row, { code }) };
      }
      const ticket = generateSecret();
      await this.requests.setTicket(hash, hashSecretToken(ticket), user.accountId, this.getExpiryTime());
      return buildConsentPrompt(ticket, app, row, activeAuthorization?.scopes ?? []);
    });
  }

  /**
   * Records the user's decision. Returns the URL to redirect to.
   * @throws {ApiError} `forbidden` when the ticket is unknown, used, expired, replaced, or belongs to another user
   */
  decideConsentRequest(
    ticket: string,
    user: ConsentingUser,
    decision: 'allow' | 'deny',
  ): Promise<{ location: string }> {
    return this.unitOfWork.runInTransaction(async () => {
      const row = await this.requests.consumeByTicket(hashSecretToken(ticket), user, this.clock.currentDate());
      if (!row) throw forbiddenError('This request was already answered, has expired, or was opened again elsewhere.');
      const app = await this.apps.findActiveApp(row.app_id);
      if (!app || !isRegisteredRedirectUri(row.redirect_uri, app.redirectUris)) throw createAppDisabledError();
      if (decision === 'deny') return { location: this.buildAppLocation(row, { error: 'access_denied' }) };
      return {
        location: this.buildAppLocation(row, { code: await this.grantAndIssueCode(row, user.accountId) }),
      };
    });
  }

  private async grantAndIssueCode(row: OAuthRequestRow, accountId: string): Promise<string> {
    const authorizationId = await this.authorizations.grantAuthorization(accountId, row.app_id, row.scopes);
    const code = authorizationId === null ? null : await this.authorizationCodesService.issueCode(authorizationId, row);
    if (code === null) throw createAppDisabledError();
    return code;
  }

  /**
   * Skips the prompt only for https redirect URIs, which other apps can't intercept (RFC 8252 §8.6), and for scopes
   * already granted.
   */
  private async issueCodeIfAlreadyGranted(
    row: OAuthRequestRow,
    activeAuthorization: { id: string; scopes: Scope[] } | null,
  ): Promise<string | null> {
    if (!row.redirect_uri.startsWith('https:')) return null;
    const isCovered = activeAuthorization && row.scopes.every((scope) => activeAuthorization.scopes.includes(scope));
    return isCovered ? this.authorizationCodesService.issueCode(activeAuthorization.id, row) : null;
  }

  private buildAppLocation(row: OAuthRequestRow, responseParameters: Record<string, string>): string {
    return buildRedirectLocation(
      { redirectUri: row.redirect_uri, state: row.state },
      this.config.publicUrl,
      responseParameters,
    );
  }

  private getExpiryTime(): Date {
    return new Date(this.clock.now() + CONSENT_REQUEST_LIFETIME_MS);
  }
}

function createAppDisabledError() {
  return forbiddenError('The app can no longer request access.');
}

function generateSecret(): string {
  return randomBytes(32).toString('base64url');
}
