import { Body, Controller, Get, Header, HttpCode, Ip, Param, Post } from '@nestjs/common';
import { CurrentDevice, DeviceOnly, Public, type DevicePrincipal } from '../../../access/auth';
import { RateLimit } from '../../../access/rate-limiting';
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
  async createPairing(@Body() body: CreatePairingDto, @Ip() address: string) {
    const { id, code, expiresAt } = await this.pairings.createPairing(body, address);
    return { data: { id, code, expiresAt: expiresAt.getTime() } };
  }

  @Get(':id')
  @Public()
  async getPairingStatus(@Param('id') id: string) {
    return { data: await this.pairings.getPairingStatus(id) };
  }

  @Get('code/:code')
  @DeviceOnly('devices.manage')
  async findPairing(@CurrentDevice() device: DevicePrincipal, @Param('code') code: string, @Ip() address: string) {
    const pairing = await this.pairings.findPairing(device, code, address);
    return {
      data: {
        id: pairing.id,
        kind: pairing.kind,
        name: pairing.name,
        platform: pairing.platform,
        address: pairing.address,
        publicKey: pairing.publicKey,
        encryptionKey: pairing.encryptionKey,
        fingerprint: pairing.fingerprint,
        createdAt: pairing.createdAt.getTime(),
        expiresAt: pairing.expiresAt.getTime(),
      },
    };
  }

  @Post('code/:code/approve')
  @HttpCode(204)
  @DeviceOnly('devices.manage')
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
  denyPairing(
    @CurrentDevice() device: DevicePrincipal,
    @Param('code') code: string,
    @Ip() address: string,
  ): Promise<void> {
    return this.pairings.denyPairing(device, code, address);
  }
}
