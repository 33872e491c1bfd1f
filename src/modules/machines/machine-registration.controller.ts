import { Body, Controller, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import { CurrentDevice, DeviceOnly, type DevicePrincipal } from '../../access/auth';
import { Operation, singleResponse } from '../../common/http';
import { MachineDto } from './machine.response.dto';
import { RegisterMachineDto } from './machines.dto';
import { MachinesService } from './machines.service';

/** Registers the calling machine device (docs/protocol/device-api.md#sync). */
@Controller('v1/machines')
export class MachineRegistrationController {
  constructor(private readonly machines: MachinesService) {}

  @Post()
  @DeviceOnly('machines.register')
  @Operation({
    id: 'registerMachine',
    tag: 'Machines',
    summary: 'Register the machine',
    description: 'Registers the machine of the calling machine device, which has one machine.',
    response: singleResponse(MachineDto),
    responseDescription: 'The new machine.',
    existingResponseDescription: 'The updated machine of this device.',
    examples: {
      request: {
        name: 'build-box',
        platform: 'linux',
        arch: 'x64',
        agents: [{ name: 'opencode', title: 'OpenCode', modes: ['build', 'plan'] }],
      },
    },
  })
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
