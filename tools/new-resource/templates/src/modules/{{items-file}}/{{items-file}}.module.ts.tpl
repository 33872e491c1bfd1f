import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AccountsModule } from '../accounts';
import { Device{{Items}}Controller } from './device-{{items-file}}.controller';
import { {{Item}}Entity } from './{{item-file}}.entity';
import { {{Items}}Controller } from './{{items-file}}.controller';
import { {{Items}}Repository } from './{{items-file}}.repository';
import { {{Items}}Service } from './{{items-file}}.service';

@Module({
  imports: [AccountsModule, TypeOrmModule.forFeature([{{Item}}Entity])],
  controllers: [{{Items}}Controller, Device{{Items}}Controller],
  providers: [{{Items}}Repository, {{Items}}Service],
  exports: [{{Items}}Service],
})
export class {{Items}}Module {}
