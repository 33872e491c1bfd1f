import { Global, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AuditModule } from '../../access/audit';
import { EventsModule } from '../../core/events';
import { AccountsModule } from '../accounts';
import { ArtifactContentPolicy, ArtifactsModule } from '../artifacts';
import { DeveloperAppsModule } from '../developer-apps';
import { PersonalAccessTokensModule } from '../personal-access-tokens';
import { MessagesModule } from '../messages';
import { PermissionRequestsModule } from '../permission-requests';
import { RetentionService } from '../../core/database';
import { SessionContentPolicy, SessionsModule } from '../sessions';
import { ArtifactContentController } from './content/artifact-content.controller';
import { ContentReader } from './content/content-reader';
import { KeyGrantContentPolicy } from './content/key-grant-content-policy';
import { MessageContentController } from './content/message-content.controller';
import {
  ControlPermissionContentController,
  PermissionContentController,
} from './content/permission-content.controller';
import { SessionContentController } from './content/session-content.controller';
import { ArtifactKeyGrantsController } from './artifact-key-grants.controller';
import { CreateKeyGrantService } from './create-key-grant.service';
import { GrantBindingValidator } from './grant-binding-validator';
import { GrantRecipientController } from './grant-recipient.controller';
import { GrantResourceAuthorizer } from './grant-resource-authorizer';
import { KeyGrantEntity } from './key-grant.entity';
import { KeyGrantsRepository } from './key-grants.repository';
import { KeyGrantsService } from './key-grants.service';
import { GrantKeyStore } from './sealed/grant-key-store';
import { SealedGrantVerifier } from './sealed/sealed-grant-verifier';
import { SessionKeyGrantsController } from './session-key-grants.controller';

/** Global, because it implements ports of the sessions and artifacts modules, which must not import it. */
@Global()
@Module({
  imports: [
    AccountsModule,
    AuditModule,
    EventsModule,
    SessionsModule,
    MessagesModule,
    PermissionRequestsModule,
    ArtifactsModule,
    PersonalAccessTokensModule,
    DeveloperAppsModule,
    TypeOrmModule.forFeature([KeyGrantEntity]),
  ],
  controllers: [
    GrantRecipientController,
    SessionKeyGrantsController,
    ArtifactKeyGrantsController,
    SessionContentController,
    MessageContentController,
    PermissionContentController,
    ControlPermissionContentController,
    ArtifactContentController,
  ],
  providers: [
    ContentReader,
    CreateKeyGrantService,
    GrantBindingValidator,
    KeyGrantContentPolicy,
    GrantResourceAuthorizer,
    GrantKeyStore,
    KeyGrantsRepository,
    KeyGrantsService,
    SealedGrantVerifier,
    { provide: SessionContentPolicy, useExisting: KeyGrantContentPolicy },
    { provide: ArtifactContentPolicy, useExisting: KeyGrantContentPolicy },
  ],
  exports: [ContentReader, SessionContentPolicy, ArtifactContentPolicy],
})
export class KeyGrantsModule {
  constructor(retentionService: RetentionService) {
    retentionService.registerRules({ table: 'key_grants', column: 'expires_at', retentionMs: 0 });
  }
}
