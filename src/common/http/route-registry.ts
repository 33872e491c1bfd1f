import { Injectable, RequestMethod, type OnApplicationBootstrap } from '@nestjs/common';
import { METHOD_METADATA, PATH_METADATA } from '@nestjs/common/constants';
import { DiscoveryService, MetadataScanner } from '@nestjs/core';
import { factsOf } from './route-fact';

export interface Route {
  method: string;
  /** In OpenAPI syntax: `/external/v1/sessions/{id}` */
  path: string;
  controller: new (...args: never[]) => object;
  handler: (...args: unknown[]) => unknown;
}

/** Registry of all HTTP routes of the running application, read from the metadata of its controllers. */
@Injectable()
export class RouteRegistry implements OnApplicationBootstrap {
  private routes: Route[] | undefined;

  constructor(
    private readonly discovery: DiscoveryService,
    private readonly scanner: MetadataScanner,
  ) {}

  /** Computes the facts of all routes, so that a declaration that can't be read fails the start. */
  onApplicationBootstrap(): void {
    this.listRoutes().forEach(factsOf);
  }

  listRoutes(): readonly Route[] {
    return (this.routes ??= this.scanControllers());
  }

  /** @throws Error that names the refused routes, if there are any: it fails the start */
  refuseRoutes(reason: string, isRefused: (route: Route) => boolean): void {
    const names = this.listRoutes()
      .filter(isRefused)
      .map(({ method, path }) => `${method} ${path}`);
    if (names.length > 0) throw new Error(`${reason}: ${names.join(', ')}`);
  }

  /** Returns the methods of this path for the `Allow` header; empty if the path doesn't exist. */
  listMethodsAt(path: string): string[] {
    const methods = this.listRoutes()
      .filter((route) => matchesTemplate(route.path, path))
      .flatMap((route) => (route.method === 'GET' ? ['GET', 'HEAD'] : [route.method]));
    return [...new Set(methods)];
  }

  private scanControllers(): Route[] {
    return this.discovery.getControllers().flatMap((wrapper) => {
      const controller = wrapper.metatype as Route['controller'];
      const prototype = controller.prototype as Record<string, Route['handler']>;
      return this.scanner.getAllMethodNames(prototype).flatMap((name) => {
        const handler = prototype[name]!;
        const method = Reflect.getMetadata(METHOD_METADATA, handler) as RequestMethod | undefined;
        if (method === undefined) return [];
        const paths = getPaths(handler);
        const roots = getPaths(controller);
        return roots.flatMap((root) =>
          paths.map((path) => ({
            method: RequestMethod[method],
            path: joinPath(root, path),
            controller,
            handler,
          })),
        );
      });
    });
  }
}

function getPaths(target: object): string[] {
  const path = Reflect.getMetadata(PATH_METADATA, target) as string | string[] | undefined;
  return Array.isArray(path) ? path : [path ?? ''];
}

function joinPath(root: string, path: string): string {
  const segments = `${root}/${path}`.split('/').filter(Boolean);
  return `/${segments.map((segment) => segment.replace(/^:(\w+)$/, '{$1}')).join('/')}`;
}

function matchesTemplate(template: string, path: string): boolean {
  const templateSegments = template.split('/');
  const pathSegments = path.split('/');
  return (
    templateSegments.length === pathSegments.length &&
    templateSegments.every((segment, i) =>
      segment.startsWith('{') ? pathSegments[i] !== '' : segment === pathSegments[i],
    )
  );
}
