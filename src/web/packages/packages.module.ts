import { Module } from '@nestjs/common';
import { InstallScriptController } from './install-script.controller';
import { PackageStore } from './package-store';
import { PackagesController } from './packages.controller';

@Module({
  controllers: [PackagesController, InstallScriptController],
  providers: [{ provide: PackageStore, useFactory: () => new PackageStore() }],
})
export class PackagesModule {}
