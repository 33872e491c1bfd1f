import { Global, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AccountsModule } from '../accounts';
import { ArtifactAccess, ArtifactsModule } from '../artifacts';
import { DeveloperAppsModule } from '../developer-apps';
import { ExternalTokensModule } from '../external-tokens';
import { MessagesModule } from '../messages';
import { Retention } from '../persistence';
import { ContentAccess, SessionsModule } from '../sessions';
import { ArtifactContentController } from './content/artifact-content.controller';
import { ContentReader } from './content/content-reader';
import { MessageContentController } from './content/message-content.controller';
import { ArtifactKeyGrantsController } from './artifact-key-grants.controller';
import { CreateKeyGrantService } from './create-key-grant.service';
import { GrantBindings } from './grant-bindings';
import { GrantRecipientController } from './grant-recipient.controller';
import { GrantedAccess } from './granted-access';
import { GrantedResources } from './granted-resources';
import { KeyGrantEntity } from './key-grant.entity';
import { KeyGrantsExport } from './key-grants-export';
import { KeyGrantsRepository } from './key-grants.repository';
import { KeyGrantsService } from './key-grants.service';
import { MissingGrantKeys } from './missing-grant-keys';
import { GrantKeys } from './sealed/grant-keys';
import { SealedGrants } from './sealed/sealed-grants';
import { SessionKeyGrantsController } from './session-key-grants.controller';

/** Global, since it answers the ports that sessions and artifacts, below it, ask. */
@Global()
@Module({
  imports: [
    AccountsModule,
    SessionsModule,
    MessagesModule,
    ArtifactsModule,
    ExternalTokensModule,
    DeveloperAppsModule,
    TypeOrmModule.forFeature([KeyGrantEntity]),
  ],
  controllers: [
    GrantRecipientController,
    SessionKeyGrantsController,
    ArtifactKeyGrantsController,
    MessageContentController,
    ArtifactContentController,
  ],
  providers: [
    ContentReader,
    CreateKeyGrantService,
    GrantBindings,
    GrantedAccess,
    GrantedResources,
    GrantKeys,
    KeyGrantsExport,
    KeyGrantsRepository,
    KeyGrantsService,
    MissingGrantKeys,
    SealedGrants,
    { provide: ContentAccess, useExisting: GrantedAccess },
    { provide: ArtifactAccess, useExisting: GrantedAccess },
  ],
  exports: [KeyGrantsService, ContentAccess, ArtifactAccess],
})
export class KeyGrantsModule {
  constructor(retention: Retention) {
    retention.register({ table: 'key_grants', column: 'expires_at', keepMs: 0 });
  }
}
