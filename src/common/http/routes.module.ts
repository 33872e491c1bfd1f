import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { RouteRegistry } from './route-registry';

/** Provides the registry of the application's routes. */
@Module({ imports: [DiscoveryModule], providers: [RouteRegistry], exports: [RouteRegistry] })
export class RoutesModule {}
