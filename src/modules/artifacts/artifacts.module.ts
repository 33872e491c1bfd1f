import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { EventsModule } from '../../core/events';
import { AccountsModule } from '../accounts';
import { SessionsModule } from '../sessions';
import { ArtifactEntity } from './artifact.entity';
import { ArtifactsController, ControlArtifactsController } from './artifacts.controller';
import { ArtifactsRepository } from './artifacts.repository';
import { ArtifactsService } from './artifacts.service';
import { ChangeArtifactService } from './change-artifact.service';
import { CreateArtifactService } from './create-artifact.service';
import { DeviceArtifactsController } from './device-artifacts.controller';
import { ArtifactAuthorizer } from './artifact-authorizer';

@Module({
  imports: [AccountsModule, EventsModule, SessionsModule, TypeOrmModule.forFeature([ArtifactEntity])],
  controllers: [ArtifactsController, ControlArtifactsController, DeviceArtifactsController],
  providers: [ArtifactsRepository, ArtifactsService, ChangeArtifactService, CreateArtifactService, ArtifactAuthorizer],
  exports: [ArtifactsService, ArtifactAuthorizer],
})
export class ArtifactsModule {}
