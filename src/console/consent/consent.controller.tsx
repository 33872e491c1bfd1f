import { Body, Get, Param, Post, Req } from '@nestjs/common';
import type { Request } from 'express';
import { SessionOnly } from '../../auth';
import { invalidRequest } from '../../common/errors';
import { ConsentRequests, type ConsentQuestion } from '../../oauth';
import { ConsoleController } from '../html/console-controller';
import { CurrentViewer } from '../html/current-viewer';
import { Page, SeeOther } from '../html/page';
import { fieldOf, type FormFields } from '../html/read-form';
import type { Viewer } from '../html/viewer';
import { ConsentPage, GonePage } from './consent-page';
import { consentPath } from './consent-path';

/** Asks a person for what an app wants (oauth.md, Authorize); the one-time ticket of the form is all that decides. */
@ConsoleController('console/consent')
export class ConsentController {
  constructor(private readonly consents: ConsentRequests) {}

  @Get(':requestId')
  @SessionOnly()
  async ask(
    @Req() request: Request,
    @CurrentViewer() viewer: Viewer,
    @Param('requestId') requestId: string,
  ): Promise<Page | SeeOther> {
    if (request.method === 'HEAD') return this.peek(requestId);
    const opened = await this.consents.open(requestId, viewer);
    if (opened.kind === 'redirect') return new SeeOther(opened.location);
    if (opened.kind === 'gone') return gone();
    const page = <ConsentPage question={opened} username={viewer.username} action={consentPath(requestId)} />;
    return new Page(page, {
      title: `Allow ${opened.app.name}?`,
      script: 'submit-once.js',
      formAction: formActionOf(opened),
      narrow: true,
    });
  }

  @Post(':requestId')
  @SessionOnly()
  async decide(@CurrentViewer() viewer: Viewer, @Body() form: FormFields): Promise<SeeOther> {
    const decision = fieldOf(form, 'decision');
    if (decision !== 'allow' && decision !== 'deny') throw undecided();
    const { location } = await this.consents.decide(fieldOf(form, 'ticket'), viewer, decision);
    return new SeeOther(location);
  }

  /** Only whether something waits: HEAD changes nothing (RFC 9110 §9.2.1), and shows nobody a question. */
  private async peek(requestId: string): Promise<Page> {
    return (await this.consents.describe(requestId)) ? new Page(null, { title: 'Consent' }) : gone();
  }
}

/**
 * Chromium holds every redirect that follows a form against `form-action`: the one to the app, and those by which the
 * app sends the browser on, to hosts that nobody here knows.
 */
function formActionOf({ formAction }: ConsentQuestion): string[] {
  const onward = formAction.startsWith('https:') ? [] : ['http://localhost:*', 'http://127.0.0.1:*'];
  return [formAction, 'https:', ...onward];
}

function gone(): Page {
  return new Page(<GonePage />, { title: 'Request not open', status: 404, narrow: true });
}

function undecided() {
  const message = 'The form says neither allow nor deny. Nothing was decided.';
  return invalidRequest([{ in: 'body', path: '/decision', code: 'not_allowed', message }]);
}
