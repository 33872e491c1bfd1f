import { Get, Query } from '@nestjs/common';
import { IsOptional, IsString } from 'class-validator';
import type { VNode } from 'preact';
import { Public } from '../../auth';
import { Config } from '../../config';
import { ConsentRequests } from '../../oauth';
import { requestIdIn } from '../consent/consent-path';
import { ConsoleController } from '../html/console-controller';
import { Page } from '../html/page';
import { returnPath } from '../session/return-path';
import type { Destination } from './card';
import { LinkPage } from './link-page';
import { RecoverPage } from './recover-page';
import { SignInPage } from './sign-in-page';
import { SignUpPage } from './sign-up-page';

export class SignInQuery {
  /** Where to go once signed in; anything but a page of the console is passed over. */
  @IsOptional()
  @IsString()
  return?: string;
}

/** The ways to a browser session, each a page with a browser module of its name. */
@ConsoleController('console')
export class SignInController {
  constructor(
    private readonly config: Config,
    private readonly consents: ConsentRequests,
  ) {}

  @Get('sign-in')
  @Public()
  async signIn(@Query() query: SignInQuery): Promise<Page> {
    const destination = await this.destinationOf(query);
    return page(<SignInPage {...destination} />, 'Sign in', 'sign-in.js');
  }

  @Get('sign-up')
  @Public()
  async signUp(@Query() query: SignInQuery): Promise<Page> {
    const destination = await this.destinationOf(query);
    const byInvitation = this.config.signup === 'closed';
    return page(<SignUpPage {...destination} byInvitation={byInvitation} />, 'Create an account', 'sign-up.js');
  }

  @Get('link')
  @Public()
  async link(@Query() query: SignInQuery): Promise<Page> {
    const destination = await this.destinationOf(query);
    return page(<LinkPage {...destination} />, 'Link this browser', 'link.js');
  }

  @Get('recover')
  @Public()
  async recover(@Query() query: SignInQuery): Promise<Page> {
    const destination = await this.destinationOf(query);
    return page(<RecoverPage {...destination} />, 'Use a recovery key', 'recover.js');
  }

  private async destinationOf(query: SignInQuery): Promise<Destination> {
    const to = returnPath(query.return);
    const requestId = requestIdIn(to);
    return { to, app: requestId === null ? null : await this.consents.describe(requestId) };
  }
}

function page(content: VNode, title: string, script: string): Page {
  return new Page(content, { title, script, narrow: true });
}
