import { Body, Controller, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import { CurrentDevice, DeviceOnly, type DevicePrincipal } from '../auth';
import { RegisterMachineDto } from './machines.dto';
import { MachinesService } from './machines.service';

/** A machine device registers itself (device-api.md, Sync). */
@Controller('v1/machines')
export class MachineRegistrationController {
  constructor(private readonly machines: MachinesService) {}

  @Post()
  @DeviceOnly('machines.register')
  async register(
    @CurrentDevice() device: DevicePrincipal,
    @Body() body: RegisterMachineDto,
    @Res({ passthrough: true }) response: Response,
  ) {
    const { machine, created } = await this.machines.register(device, body);
    response.status(created ? 201 : 200);
    return { data: machine };
  }
}
