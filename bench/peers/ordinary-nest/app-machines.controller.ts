import { randomUUID } from 'node:crypto';
import {
  Body,
  Controller,
  HttpCode,
  NotFoundException,
  Param,
  Post,
  Req,
  ServiceUnavailableException,
  UseGuards,
} from '@nestjs/common';
import { AuthGuard } from '@nestjs/passport';
import { InjectRepository } from '@nestjs/typeorm';
import { IsArray, IsInt, IsOptional, IsString, Max, MaxLength, Min } from 'class-validator';
import { Repository } from 'typeorm';
import { AppDeviceGateway } from './app-device.gateway';
import { AppMachineEntity, type AppTokenEntity } from './entities';

const DEFAULT_TIMEOUT_MS = 20_000;
/** Time for the way to the device and back. */
const MARGIN_MS = 2_000;

export class AppInvokeDto {
  @IsString()
  @MaxLength(4_096)
  command!: string;

  @IsArray()
  @IsString({ each: true })
  args!: string[];

  @IsOptional()
  @IsString()
  cwd?: string;

  @IsOptional()
  @IsInt()
  @Min(1)
  @Max(28_000)
  timeoutMs?: number;
}

@Controller('external/v1/machines')
@UseGuards(AuthGuard('bearer'))
export class AppMachinesController {
  constructor(
    @InjectRepository(AppMachineEntity) private readonly machines: Repository<AppMachineEntity>,
    private readonly gateway: AppDeviceGateway,
  ) {}

  @Post(':id/invoke')
  @HttpCode(200)
  async invokeMachine(
    @Req() { user }: { user: AppTokenEntity },
    @Param('id') id: string,
    @Body() { timeoutMs = DEFAULT_TIMEOUT_MS, ...params }: AppInvokeDto,
  ): Promise<object> {
    const machine = await this.machines.findOneBy({ id, account: { id: user.account.id } });
    if (!machine) throw new NotFoundException();
    const requestId = randomUUID();
    const relayRequest = {
      requestId,
      method: 'machine.invoke',
      deadline: Date.now() + timeoutMs + MARGIN_MS,
      timeoutMs,
      caller: 'pat',
      machineId: id,
      params,
    };
    const answer = (await this.gateway.sendRequest(id, relayRequest, timeoutMs + MARGIN_MS)) as { result: object };
    if (!answer) throw new ServiceUnavailableException();
    return { requestId, outcome: 'answered', result: answer.result };
  }
}
