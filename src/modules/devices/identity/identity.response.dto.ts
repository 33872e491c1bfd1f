import { ApiProperty } from '@nestjs/swagger';
import type { ChallengeResponse } from '@external-api/protocol';
import { AccountDto } from '../../accounts';
import { UnixTimeField } from '../../../common/http';
import { DeviceDto } from '../device.dto';

/** Ed25519 signature in base64url, for examples. */
export const SIGNATURE_EXAMPLE =
  'OLmnqz7SVnWzC2T9Gd0W3cLqLrhCmNhFfJ5cYbLk2XaYvQ0o1B2xw9G7uTtP4eVsKpJ6dRzHqWmEnXyA8iUtBw';

/** Challenge that a device signs (docs/protocol/device-api.md#challenges). */
export class ChallengeDto implements ChallengeResponse {
  /** @example 1788255120000.Zm9vYmFyYmF6cXV4Zm9vYmFyYmF6cXV4.c2lnbmF0dXJl */
  challenge!: string;

  /** The exact text to sign. */
  @ApiProperty({
    example:
      'External API device signature\nhost: https://api.test\nchallenge: 1788255120000.Zm9v.c2ln\n' +
      'public key: kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k',
  })
  message!: string;

  @UnixTimeField(1_788_255_120_000)
  expiresAt!: number;
}

/** A signed-in device with its token, which the service returns once and never stores. */
export class SignedInDeviceDto {
  account!: AccountDto;
  device!: DeviceDto;

  /**
   * Device token. It is returned only once.
   * @example svc_dev_0123456789ABCDEFGHIJKLMNOPQRST0a1b2c
   */
  token!: string;

  @UnixTimeField(1_790_847_000_000)
  tokenExpiresAt!: number;

  /** Compact JWS that the device was approved with; null for the first device of an account. */
  @ApiProperty({ type: String, nullable: true, example: null })
  enrollment!: string | null;
}

export class UsernameAvailabilityDto {
  /** @example true */
  available!: boolean;
}
