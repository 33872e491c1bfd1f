import { Body, Controller, Get, Header, HttpCode, Ip, Param, Post } from '@nestjs/common';
import { normalizeIp } from '@nestjs/throttler';
import { CurrentDevice, DeviceOnly, Public, type DevicePrincipal } from '../../auth';
import { rateLimited, RateLimits } from '../../rate-limit';
import { ApproveDto, PairDto } from './pairing.dto';
import { PairingsService } from './pairings.service';

/** Joining an account (device-api.md, Identity). */
@Controller('v1/pairings')
export class PairingsController {
  constructor(
    private readonly pairings: PairingsService,
    private readonly limits: RateLimits,
  ) {}

  @Post()
  @Header('Cache-Control', 'no-store')
  @Public()
  async pair(@Body() body: PairDto, @Ip() address: string) {
    const draw = await this.limits.draw('pairing', normalizeIp(address, 64));
    if (draw.refused) throw rateLimited(draw);
    const { id, code, expiresAt } = await this.pairings.request(body, address);
    return { data: { id, code, expiresAt: expiresAt.getTime() } };
  }

  @Get(':id')
  @Public()
  async status(@Param('id') id: string) {
    return { data: await this.pairings.status(id) };
  }

  @Get('code/:code')
  @DeviceOnly('devices.manage')
  async find(@CurrentDevice() device: DevicePrincipal, @Param('code') code: string, @Ip() address: string) {
    const pairing = await this.pairings.find(device, code, address);
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
  approve(
    @CurrentDevice() device: DevicePrincipal,
    @Param('code') code: string,
    @Ip() address: string,
    @Body() body: ApproveDto,
  ): Promise<void> {
    return this.pairings.approve(device, code, address, body.enrollment);
  }

  @Post('code/:code/deny')
  @HttpCode(204)
  @DeviceOnly('devices.manage')
  deny(@CurrentDevice() device: DevicePrincipal, @Param('code') code: string, @Ip() address: string): Promise<void> {
    return this.pairings.deny(device, code, address);
  }
}
