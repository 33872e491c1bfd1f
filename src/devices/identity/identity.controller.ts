import { Body, Controller, Header, HttpCode, Ip, Post } from '@nestjs/common';
import { normalizeIp } from '@nestjs/throttler';
import { Public } from '../../auth';
import { rateLimited, RateLimits } from '../../rate-limit';
import { Challenges } from './challenges';
import { ChallengeDto, SignInDto, SignUpDto } from './identity.dto';
import { SignInService } from './sign-in.service';
import { SignUpService } from './sign-up.service';

/** Sign-up and sign-in by signature (device-api.md, Identity); there is no password. */
@Controller('v1')
export class IdentityController {
  constructor(
    private readonly challenges: Challenges,
    private readonly signUps: SignUpService,
    private readonly signIns: SignInService,
    private readonly limits: RateLimits,
  ) {}

  @Post('auth/challenge')
  @Public()
  challenge(@Body() keys: ChallengeDto) {
    return { data: this.challenges.issue(keys) };
  }

  @Post('accounts')
  @Header('Cache-Control', 'no-store')
  @Public()
  async signUp(@Body() body: SignUpDto, @Ip() address: string) {
    const draw = await this.limits.draw('sign-up', normalizeIp(address, 64));
    if (draw.refused) throw rateLimited(draw);
    return { data: await this.signUps.signUp(body) };
  }

  @Post('auth/sign-in')
  @HttpCode(200)
  @Header('Cache-Control', 'no-store')
  @Public()
  async signIn(@Body() body: SignInDto, @Ip() address: string) {
    return { data: await this.signIns.signIn(body, address) };
  }
}
