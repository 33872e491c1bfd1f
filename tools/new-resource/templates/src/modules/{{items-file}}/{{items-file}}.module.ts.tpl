import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
{{#write}}
import { IdempotencyModule } from '../../access/idempotency';
{{/write}}
{{#event}}
import { EventsModule } from '../../core/events';
{{/event}}
import { AccountsModule } from '../accounts';
import { Device{{Items}}Controller } from './device-{{items-file}}.controller';
import { {{Item}}Entity } from './{{item-file}}.entity';
import { {{Items}}Controller } from './{{items-file}}.controller';
import { {{Items}}Repository } from './{{items-file}}.repository';
import { {{Items}}Service } from './{{items-file}}.service';

@Module({
  imports: [AccountsModule, {{#event}}EventsModule, {{/event}}{{#write}}IdempotencyModule, {{/write}}TypeOrmModule.forFeature([{{Item}}Entity])],
  controllers: [{{Items}}Controller, Device{{Items}}Controller],
  providers: [{{Items}}Repository, {{Items}}Service],
  exports: [{{Items}}Service],
})
export class {{Items}}Module {}
