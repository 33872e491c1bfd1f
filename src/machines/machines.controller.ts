import { Controller, Get, Param, Query } from '@nestjs/common';
import { CurrentToken, RequireScopes, type TokenPrincipal } from '../auth';
import { one, Operation, page } from '../common/http';
import { MachineRecord } from './machine-record';
import { MachineQuery } from './machines.dto';
import { MachinesService } from './machines.service';

/** Machines as the External API shows them (external-api.md §3). */
@Controller('external/v1/machines')
export class MachinesController {
  constructor(private readonly machines: MachinesService) {}

  @Get()
  @RequireScopes('machines:read')
  @Operation({
    id: 'listMachines',
    tag: 'Machines',
    summary: 'List machines',
    description: "The account's machines, newest first, with their state.",
    answer: page(MachineRecord),
    returns: 'A page of machines.',
  })
  list(@CurrentToken() token: TokenPrincipal, @Query() query: MachineQuery) {
    return this.machines.list(token.accountId, query);
  }

  @Get(':id')
  @RequireScopes('machines:read')
  @Operation({
    id: 'getMachine',
    tag: 'Machines',
    summary: 'Get a machine',
    description: 'One machine of the account.',
    answer: one(MachineRecord),
    returns: 'The machine.',
  })
  async get(@CurrentToken() token: TokenPrincipal, @Param('id') id: string) {
    return { data: await this.machines.get(token.accountId, id) };
  }
}
