import { Body, Get, Param, Post, Req } from '@nestjs/common';
import type { Request } from 'express';
import { BrowserOnly } from '../../../access/auth';
import { ChangesData } from '../../../access/read-only';
import { invalidRequestError } from '../../../common/errors';
import { Config } from '../../../core/config';
import { ConsentService, type ConsentPrompt } from '../../../modules/oauth';
import { ConsoleController } from '../html/console-controller';
import { CurrentViewer } from '../html/current-viewer';
import { HtmlPage, SeeOther } from '../html/html-page';
import { getFormField, type FormFields } from '../html/read-page-form';
import type { Viewer } from '../html/viewer';
import { canReadContent } from '../sharing/share-sessions-section';
import { ConsentPage, ConsentGonePage } from './consent-page';
import { buildConsentPath } from './consent-path';

/**
 * Shows and decides consent requests of apps (docs/protocol/oauth.md#consent). Only the form's one-time ticket can
 * decide a request.
 */
@ConsoleController('console/consent')
export class ConsentController {
  constructor(
    private readonly consents: ConsentService,
    private readonly config: Config,
  ) {}

  @Get(':requestId')
  @BrowserOnly()
  @ChangesData()
  async showConsent(
    @Req() request: Request,
    @CurrentViewer() viewer: Viewer,
    @Param('requestId') requestId: string,
  ): Promise<HtmlPage | SeeOther> {
    if (request.method === 'HEAD') return this.checkConsent(requestId);
    const result = await this.consents.openConsentRequest(requestId, viewer);
    if (result.kind === 'redirect') return new SeeOther(result.location);
    if (result.kind === 'gone') return createGonePage();
    const { publicUrl } = this.config;
    const page = (
      <ConsentPage
        {...{ consent: result, username: viewer.username, action: buildConsentPath(requestId), publicUrl }}
      />
    );
    return new HtmlPage(page, {
      title: `Allow ${result.app.name}?`,
      ...(canReadContent(result.scopes)
        ? { script: 'consent.js', stylesheet: 'content.css' }
        : { script: 'submit-once.js' }),
      formAction: getFormActionSources(result),
      isNarrow: true,
    });
  }

  @Post(':requestId')
  @BrowserOnly()
  async decideConsent(@CurrentViewer() viewer: Viewer, @Body() form: FormFields): Promise<SeeOther> {
    const decision = getFormField(form, 'decision');
    if (decision !== 'allow' && decision !== 'deny') throw missingDecision();
    const { location } = await this.consents.decideConsentRequest(getFormField(form, 'ticket'), viewer, decision);
    return new SeeOther(location);
  }

  /** Answers HEAD, which must not open the request (RFC 9110 §9.2.1). */
  private async checkConsent(requestId: string): Promise<HtmlPage> {
    return (await this.consents.findRequestingApp(requestId))
      ? new HtmlPage(null, { title: 'Consent' })
      : createGonePage();
  }
}

/**
 * Chromium checks every redirect after a form submission against `form-action`: the redirect to the app and all further
 * redirects by the app, whose hosts are unknown here.
 */
function getFormActionSources({ formAction }: ConsentPrompt): string[] {
  const redirectSources = formAction.startsWith('https:') ? [] : ['http://localhost:*', 'http://127.0.0.1:*'];
  return [formAction, 'https:', ...redirectSources];
}

function createGonePage(): HtmlPage {
  return new HtmlPage(<ConsentGonePage />, { title: 'Request not open', status: 404, isNarrow: true });
}

function missingDecision() {
  const message = 'The form must say allow or deny. Nothing was decided.';
  return invalidRequestError([{ in: 'body', path: '/decision', code: 'not_allowed', message }]);
}
