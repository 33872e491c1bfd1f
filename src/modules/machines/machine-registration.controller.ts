import { Body, Controller, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import { CurrentDevice, DeviceOnly, type DevicePrincipal } from '../../access/auth';
import { RegisterMachineDto } from './machines.dto';
import { MachinesService } from './machines.service';

/** Registers the calling machine device (docs/protocol/device-api.md#sync). */
@Controller('v1/machines')
export class MachineRegistrationController {
  constructor(private readonly machines: MachinesService) {}

  @Post()
  @DeviceOnly('machines.register')
  async registerMachine(
    @CurrentDevice() device: DevicePrincipal,
    @Body() body: RegisterMachineDto,
    @Res({ passthrough: true }) response: Response,
  ) {
    const { machine, created } = await this.machines.registerMachine(device, body);
    response.status(created ? 201 : 200);
    return { data: machine };
  }
}
