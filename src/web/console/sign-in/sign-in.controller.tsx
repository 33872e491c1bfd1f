import { Get, Query } from '@nestjs/common';
import { IsOptional, IsString } from 'class-validator';
import type { VNode } from 'preact';
import { Public } from '../../../access/auth';
import { RateLimit } from '../../../access/rate-limiting';
import { isWellFormedId } from '../../../common/ids';
import { Config } from '../../../core/config';
import { AccountsService } from '../../../modules/accounts';
import { DevicesService } from '../../../modules/devices';
import { ConsentService } from '../../../modules/oauth';
import { extractConsentRequestId } from '../consent/consent-path';
import { ConsoleController } from '../html/console-controller';
import { HtmlPage } from '../html/html-page';
import { sanitizeReturnPath } from '../login/return-path';
import type { SignInDestination } from './sign-in-card';
import { LinkPage, RecoverPage, SignInPage } from './existing-account-pages';
import { SignUpPage } from './sign-up-page';

export class SignInQueryDto {
  /** Path to open after signing in. Anything but a console page is ignored. */
  @IsOptional()
  @IsString()
  return?: string;
}

export class SignInPageQueryDto extends SignInQueryDto {
  /** ID of an account that was deleted. Ignored if the account exists. */
  @IsOptional()
  @IsString()
  deleted?: string;

  /** ID of the device that this browser was. Ignored unless the device is revoked. */
  @IsOptional()
  @IsString()
  revoked?: string;
}

/**
 * Sign-in pages, each with a browser module of the same name. Limited by address like requests for authorization, since
 * their queries name accounts and apps that they look up.
 */
@ConsoleController('console')
export class SignInController {
  constructor(
    private readonly accounts: AccountsService,
    private readonly config: Config,
    private readonly devices: DevicesService,
    private readonly consents: ConsentService,
  ) {}

  @Get('sign-in')
  @Public()
  @RateLimit('authorize', 'address')
  async showSignIn(@Query() query: SignInPageQueryDto): Promise<HtmlPage> {
    const signInDestination = await this.resolveDestination(query);
    const deletedAccountId = await this.findDeletedAccountId(query);
    const revokedFingerprint = await this.findRevokedFingerprint(query);
    const content = <SignInPage {...{ ...signInDestination, deletedAccountId, revokedFingerprint }} />;
    return createSignInPage(content, 'Sign in', 'sign-in.js');
  }

  @Get('sign-up')
  @Public()
  @RateLimit('authorize', 'address')
  async showSignUp(@Query() query: SignInQueryDto): Promise<HtmlPage> {
    const signInDestination = await this.resolveDestination(query);
    const isInvitationRequired = this.config.signup === 'closed';
    return createSignInPage(
      <SignUpPage {...signInDestination} byInvitation={isInvitationRequired} />,
      'Create an account',
      'sign-up.js',
    );
  }

  @Get('link')
  @Public()
  @RateLimit('authorize', 'address')
  async showLink(@Query() query: SignInQueryDto): Promise<HtmlPage> {
    const signInDestination = await this.resolveDestination(query);
    return createSignInPage(<LinkPage {...signInDestination} />, 'Link this browser', 'link.js');
  }

  @Get('recover')
  @Public()
  @RateLimit('authorize', 'address')
  async showRecovery(@Query() query: SignInQueryDto): Promise<HtmlPage> {
    const signInDestination = await this.resolveDestination(query);
    return createSignInPage(<RecoverPage {...signInDestination} />, 'Use a recovery key', 'recover.js');
  }

  /** Returns null for an account that exists, because the page deletes the browser's keys of the account. */
  private async findDeletedAccountId({ deleted }: SignInPageQueryDto): Promise<string | null> {
    if (deleted === undefined || !isWellFormedId('acc', deleted)) return null;
    return (await this.accounts.findAccount(deleted)) === null ? deleted : null;
  }

  /** Returns null for a device that is not revoked, because the page deletes the keys with this fingerprint. */
  private async findRevokedFingerprint({ revoked }: SignInPageQueryDto): Promise<string | null> {
    if (revoked === undefined || !isWellFormedId('dev', revoked)) return null;
    return this.devices.findRevokedFingerprint(revoked);
  }

  private async resolveDestination(query: SignInQueryDto): Promise<SignInDestination> {
    const returnPath = sanitizeReturnPath(query.return);
    const requestId = extractConsentRequestId(returnPath);
    return { returnPath, app: requestId === null ? null : await this.consents.findRequestingApp(requestId) };
  }
}

function createSignInPage(content: VNode, title: string, script: string): HtmlPage {
  return new HtmlPage(content, { title, script, isNarrow: true });
}
