import { Injectable, RequestMethod } from '@nestjs/common';
import { METHOD_METADATA, PATH_METADATA } from '@nestjs/common/constants';
import { DiscoveryService, MetadataScanner } from '@nestjs/core';

export interface Route {
  method: string;
  /** As documented: `/external/v1/sessions/{id}` */
  path: string;
  controller: new (...args: never[]) => object;
  handler: (...args: unknown[]) => unknown;
}

/** Every HTTP route of the running application, as the framework sees it. */
@Injectable()
export class RouteTable {
  private routes: Route[] | undefined;

  constructor(
    private readonly discovery: DiscoveryService,
    private readonly scanner: MetadataScanner,
  ) {}

  all(): readonly Route[] {
    return (this.routes ??= this.scan());
  }

  /** The methods that exist at this path, for `Allow`; empty when there is no such path. */
  methodsAt(path: string): string[] {
    const methods = this.all()
      .filter((route) => matches(route.path, path))
      .flatMap((route) => (route.method === 'GET' ? ['GET', 'HEAD'] : [route.method]));
    return [...new Set(methods)];
  }

  private scan(): Route[] {
    return this.discovery.getControllers().flatMap((wrapper) => {
      const controller = wrapper.metatype as Route['controller'];
      const prototype = controller.prototype as Record<string, Route['handler']>;
      return this.scanner.getAllMethodNames(prototype).flatMap((name) => {
        const handler = prototype[name]!;
        const method = Reflect.getMetadata(METHOD_METADATA, handler) as RequestMethod | undefined;
        if (method === undefined) return [];
        const paths = pathsOf(handler);
        const roots = pathsOf(controller);
        return roots.flatMap((root) =>
          paths.map((path) => ({
            method: RequestMethod[method],
            path: join(root, path),
            controller,
            handler,
          })),
        );
      });
    });
  }
}

function pathsOf(target: object): string[] {
  const path = Reflect.getMetadata(PATH_METADATA, target) as string | string[] | undefined;
  return Array.isArray(path) ? path : [path ?? ''];
}

function join(root: string, path: string): string {
  const segments = `${root}/${path}`.split('/').filter(Boolean);
  return `/${segments.map((segment) => segment.replace(/^:(\w+)$/, '{$1}')).join('/')}`;
}

function matches(template: string, path: string): boolean {
  const wanted = template.split('/');
  const given = path.replace(/\/$/, '').split('/');
  return (
    wanted.length === given.length &&
    wanted.every((segment, i) => (segment.startsWith('{') ? given[i] !== '' : segment === given[i]))
  );
}
