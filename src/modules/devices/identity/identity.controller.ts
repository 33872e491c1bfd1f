import { Body, Controller, Header, HttpCode, Ip, Post } from '@nestjs/common';
import { Public } from '../../../access/auth';
import { RateLimit } from '../../../access/rate-limiting';
import { ChallengeService } from './challenge.service';
import { CreateChallengeDto, SignInDto, SignUpDto } from './identity.dto';
import { SignInService } from './sign-in.service';
import { SignUpService } from './sign-up.service';

/** Sign-up and sign-in by signature, without a password (docs/protocol/device-api.md#identity). */
@Controller('v1')
export class IdentityController {
  constructor(
    private readonly challengeService: ChallengeService,
    private readonly signUps: SignUpService,
    private readonly signIns: SignInService,
  ) {}

  @Post('auth/challenge')
  @Public()
  @RateLimit('address', 'address')
  createChallenge(@Body() keys: CreateChallengeDto) {
    return { data: this.challengeService.issueChallenge(keys) };
  }

  @Post('accounts')
  @Header('Cache-Control', 'no-store')
  @Public()
  @RateLimit('sign-up', 'address')
  async signUp(@Body() body: SignUpDto) {
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
