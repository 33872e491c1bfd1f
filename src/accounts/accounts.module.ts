import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AccountControl } from './account-control';
import { AccountExport } from './account-export';
import { AccountController } from './account.controller';
import { AccountEntity } from './account.entity';
import { AccountsRepository } from './accounts.repository';
import { AccountsService } from './accounts.service';
import { InvitationEntity } from './invitation.entity';
import { Invitations } from './invitations';
import { MeController } from './me.controller';
import { Storage } from './storage';

@Module({
  imports: [TypeOrmModule.forFeature([AccountEntity, InvitationEntity])],
  controllers: [AccountController, MeController],
  providers: [AccountControl, AccountExport, AccountsRepository, AccountsService, Invitations, Storage],
  exports: [AccountExport, AccountsService, Invitations, Storage],
})
export class AccountsModule {}
