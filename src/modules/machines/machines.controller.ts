import { Controller, Get, Param, Query } from '@nestjs/common';
import { ControlController, CurrentCaller, RequireScopes, type Principal } from '../../access/auth';
import { singleResponse, Operation, listResponse } from '../../common/http';
import { MachineDto } from './machine.response.dto';
import { ListMachinesQueryDto } from './machines.dto';
import { MachinesService } from './machines.service';

/** Machine routes of the External API (docs/protocol/external-api.md#endpoints). */
@Controller('external/v1/machines')
export class MachinesController {
  constructor(private readonly machines: MachinesService) {}

  @Get()
  @RequireScopes('machines:read')
  @Operation({
    id: 'listMachines',
    tag: 'Machines',
    summary: 'List machines',
    description: "Lists the account's machines with their state, newest first.",
    response: listResponse(MachineDto),
    responseDescription: 'A page of machines.',
  })
  listMachines(@CurrentCaller() { accountId }: Principal, @Query() query: ListMachinesQueryDto) {
    return this.machines.listMachines(accountId, query);
  }

  @Get(':id')
  @RequireScopes('machines:read')
  @Operation({
    id: 'getMachine',
    tag: 'Machines',
    summary: 'Get a machine',
    description: 'Returns one machine of the account.',
    response: singleResponse(MachineDto),
    responseDescription: 'The machine.',
  })
  async getMachine(@CurrentCaller() { accountId }: Principal, @Param('id') id: string) {
    return { data: await this.machines.getMachine(accountId, id) };
  }
}

/** The same routes for account devices. */
@ControlController('machines')
export class ControlMachinesController extends MachinesController {}
