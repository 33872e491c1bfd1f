import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AccountsModule } from '../accounts';
import { SessionsModule } from '../sessions';
import { ArtifactEntity } from './artifact.entity';
import { ArtifactsController } from './artifacts.controller';
import { ArtifactsExport } from './artifacts-export';
import { ArtifactsRepository } from './artifacts.repository';
import { ArtifactsService } from './artifacts.service';
import { ChangeArtifactService } from './change-artifact.service';
import { CreateArtifactService } from './create-artifact.service';
import { DeviceArtifactsController } from './device-artifacts.controller';
import { HostedArtifacts } from './hosted-artifacts';

@Module({
  imports: [AccountsModule, SessionsModule, TypeOrmModule.forFeature([ArtifactEntity])],
  controllers: [ArtifactsController, DeviceArtifactsController],
  providers: [
    ArtifactsExport,
    ArtifactsRepository,
    ArtifactsService,
    ChangeArtifactService,
    CreateArtifactService,
    HostedArtifacts,
  ],
  exports: [ArtifactsService, HostedArtifacts],
})
export class ArtifactsModule {}
