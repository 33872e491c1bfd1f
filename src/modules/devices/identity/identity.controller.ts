import { Body, Controller, Header, HttpCode, Ip, Post } from '@nestjs/common';
import { Public } from '../../../access/auth';
import { RateLimit } from '../../../access/rate-limiting';
import { ReadsDataOnly } from '../../../access/read-only';
import { Operation, singleResponse } from '../../../common/http';
import { ChallengeDto, SIGNATURE_EXAMPLE, SignedInDeviceDto, UsernameAvailabilityDto } from './identity.response.dto';
import { ChallengeService } from './challenge.service';
import { CheckUsernameDto, CreateChallengeDto, SignInDto, SignUpDto } from './identity.dto';
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
  @ReadsDataOnly()
  @Public()
  @RateLimit('address', 'address')
  @Operation({
    id: 'createChallenge',
    tag: 'Devices',
    summary: 'Create a challenge',
    description:
      'Returns a text that the device signs with its Ed25519 key. Sign-up and pairing require a challenge for both ' +
      'keys, sign-in one for `publicKey` alone. A challenge can be used once within 2 minutes.',
    response: singleResponse(ChallengeDto),
    responseDescription: 'The challenge.',
    examples: {
      request: { publicKey: { kty: 'OKP', crv: 'Ed25519', x: '3p7bfXt9wbTTW2HC7OQ1Nz-DQ8hbeGdNrfx-FG-IK08' } },
    },
  })
  createChallenge(@Body() keys: CreateChallengeDto) {
    return { data: this.challengeService.issueChallenge(keys) };
  }

  @Post('accounts')
  @Header('Cache-Control', 'no-store')
  @Public()
  @RateLimit('sign-up', 'address')
  @Operation({
    id: 'signUp',
    tag: 'Devices',
    summary: 'Sign up',
    description:
      'Creates an account with its first device, and signs that device in. If sign-up is closed, an invitation is ' +
      'required.',
    response: singleResponse(SignedInDeviceDto),
    responseDescription: 'The account, its device and the token of the device.',
    errorCodes: ['forbidden', 'conflict'],
    examples: {
      request: {
        username: 'ada',
        challenge: '1788255120000.Zm9v.c2ln',
        signature: SIGNATURE_EXAMPLE,
        device: {
          publicKey: { kty: 'OKP', crv: 'Ed25519', x: '3p7bfXt9wbTTW2HC7OQ1Nz-DQ8hbeGdNrfx-FG-IK08' },
          encryptionKey: { kty: 'OKP', crv: 'X25519', x: '3p7bfXt9wbTTW2HC7OQ1Nz-DQ8hbeGdNrfx-FG-IK08' },
          name: 'laptop',
          platform: 'linux',
        },
        contentPublicKey: { kty: 'OKP', crv: 'X25519', x: '3p7bfXt9wbTTW2HC7OQ1Nz-DQ8hbeGdNrfx-FG-IK08' },
      },
    },
  })
  async signUp(@Body() body: SignUpDto) {
    return { data: await this.signUps.signUp(body) };
  }

  /** Consumes from the same bucket as sign-up, whose 409 says the same, so that it finds no more usernames. */
  @Post('accounts/check-username')
  @ReadsDataOnly()
  @HttpCode(200)
  @Header('Cache-Control', 'no-store')
  @Public()
  @RateLimit('sign-up', 'address')
  @Operation({
    id: 'checkUsername',
    tag: 'Devices',
    summary: 'Check a username',
    description: 'Returns whether a sign-up could use the username. The response reserves nothing.',
    response: singleResponse(UsernameAvailabilityDto),
    responseDescription: 'Whether the username is available.',
    errorCodes: ['forbidden'],
    examples: {
      request: { username: 'ada' },
    },
  })
  async checkUsername(@Body() { username, invitation }: CheckUsernameDto) {
    return { data: { available: await this.signUps.isUsernameAvailable(username, invitation) } };
  }

  @Post('auth/sign-in')
  @HttpCode(200)
  @Header('Cache-Control', 'no-store')
  @Public()
  @RateLimit('address', 'address')
  @Operation({
    id: 'signIn',
    tag: 'Devices',
    summary: 'Sign in',
    description:
      'Signs in a device of an account by its key. The token is valid for 30 days. A device gets a new one by ' +
      'signing in again.',
    response: singleResponse(SignedInDeviceDto),
    responseDescription: 'The account, the device and its token.',
    errorCodes: ['invalid_token'],
    examples: {
      request: {
        publicKey: { kty: 'OKP', crv: 'Ed25519', x: '3p7bfXt9wbTTW2HC7OQ1Nz-DQ8hbeGdNrfx-FG-IK08' },
        challenge: '1788255120000.Zm9v.c2ln',
        signature: SIGNATURE_EXAMPLE,
      },
    },
  })
  async signIn(@Body() body: SignInDto, @Ip() address: string) {
    return { data: await this.signIns.signIn(body, address) };
  }
}
