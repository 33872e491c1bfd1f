import { Body, Controller, Get, Header, HttpCode, Ip, Param, Post } from '@nestjs/common';
import { CurrentDevice, DeviceOnly, Public, type DevicePrincipal } from '../../../access/auth';
import { RateLimit } from '../../../access/rate-limiting';
import { noContentResponse, Operation, singleResponse } from '../../../common/http';
import { SIGNATURE_EXAMPLE } from '../identity/identity.response.dto';
import { PairingDto, PairingStatusDto, PendingPairingDto, toPendingPairingDto } from './pairing.response.dto';
import { ApprovePairingDto, CreatePairingDto } from './pairing.dto';
import { PairingsService } from './pairings.service';

/** Routes by which a device joins an account (docs/protocol/device-api.md#pairing). */
@Controller('v1/pairings')
export class PairingsController {
  constructor(private readonly pairings: PairingsService) {}

  @Post()
  @Header('Cache-Control', 'no-store')
  @Public()
  @RateLimit('pairing', 'address')
  @Operation({
    id: 'createPairing',
    tag: 'Devices',
    summary: 'Request a pairing',
    description:
      'Requests to join an account. The new device shows `code` and its fingerprint. The code is valid for 10 minutes.',
    response: singleResponse(PairingDto),
    responseDescription: 'The pairing.',
    errorCodes: ['conflict'],
    examples: {
      request: {
        publicKey: { kty: 'OKP', crv: 'Ed25519', x: '3p7bfXt9wbTTW2HC7OQ1Nz-DQ8hbeGdNrfx-FG-IK08' },
        encryptionKey: { kty: 'OKP', crv: 'X25519', x: '3p7bfXt9wbTTW2HC7OQ1Nz-DQ8hbeGdNrfx-FG-IK08' },
        kind: 'machine',
        name: 'build-box',
        platform: 'linux',
        challenge: '1788255120000.Zm9v.c2ln',
        signature: SIGNATURE_EXAMPLE,
      },
    },
  })
  async createPairing(@Body() body: CreatePairingDto, @Ip() address: string) {
    const { id, code, expiresAt } = await this.pairings.createPairing(body, address);
    return { data: { id, code, expiresAt: expiresAt.getTime() } };
  }

  @Get(':id')
  @Public()
  @RateLimit('pairing-status', 'address')
  @Operation({
    id: 'getPairing',
    tag: 'Devices',
    summary: 'Get a pairing',
    description: 'Returns whether an account device has decided. The new device polls this until it may sign in.',
    response: singleResponse(PairingStatusDto),
    responseDescription: 'The state of the pairing.',
  })
  async getPairingStatus(@Param('id') id: string, @Ip() address: string) {
    return { data: await this.pairings.getPairingStatus(id, address) };
  }

  @Get('code/:code')
  @DeviceOnly('devices.manage')
  @Operation({
    id: 'findPairingByCode',
    tag: 'Devices',
    summary: 'Get a pairing by its code',
    description:
      'Returns the device that wants to join. A wrong, decided or expired code is 404. The tenth wrong code within ' +
      '10 minutes closes code entry for 10 minutes.',
    response: singleResponse(PendingPairingDto),
    responseDescription: 'The pairing.',
  })
  async findPairing(@CurrentDevice() device: DevicePrincipal, @Param('code') code: string, @Ip() address: string) {
    return { data: toPendingPairingDto(await this.pairings.findPairing(device, code, address)) };
  }

  @Post('code/:code/approve')
  @HttpCode(204)
  @DeviceOnly('devices.manage')
  @Operation({
    id: 'approvePairing',
    tag: 'Devices',
    summary: 'Approve a pairing',
    description: 'Adds the device to the account, with an enrollment that the approving device has signed.',
    response: noContentResponse,
    responseDescription: 'The device belongs to the account.',
    errorCodes: ['plan_limit_exceeded', 'conflict'],
    examples: {
      request: { enrollment: 'eyJhbGciOiJFZERTQSIs….….…' },
    },
  })
  approvePairing(
    @CurrentDevice() device: DevicePrincipal,
    @Param('code') code: string,
    @Ip() address: string,
    @Body() body: ApprovePairingDto,
  ): Promise<void> {
    return this.pairings.approvePairing(device, code, address, body.enrollment);
  }

  @Post('code/:code/deny')
  @HttpCode(204)
  @DeviceOnly('devices.manage')
  @Operation({
    id: 'denyPairing',
    tag: 'Devices',
    summary: 'Deny a pairing',
    description: 'Refuses the device.',
    response: noContentResponse,
    responseDescription: 'The pairing is denied.',
  })
  denyPairing(
    @CurrentDevice() device: DevicePrincipal,
    @Param('code') code: string,
    @Ip() address: string,
  ): Promise<void> {
    return this.pairings.denyPairing(device, code, address);
  }
}
