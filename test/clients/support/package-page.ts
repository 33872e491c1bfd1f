import { existsSync, readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join, normalize } from 'node:path';
import { getClientFolder } from '../../support/clients/client-package';

const CLIENT = '/node_modules/@external-api/client/dist/index.js';
/** Page without a bundler: the browser loads the modules of the package as they were published. */
const PAGE = `<!doctype html>
<html lang="en">
<title>App</title>
<link rel="icon" href="data:,">
<script type="importmap">
  { "imports": { "@external-api/client": "${CLIENT}" } }
</script>
</html>`;

/** Web server of a page that imports the installed client. Its origin is not that of the service. */
export class PackagePage {
  private constructor(private readonly server: Server) {}

  static async start(): Promise<PackagePage> {
    const server = createServer((request, response) => {
      const path = normalize(new URL(request.url!, 'http://localhost').pathname);
      const file = join(getClientFolder(), path);
      if (path === '/') response.writeHead(200, { 'content-type': 'text/html' }).end(PAGE);
      else if (extname(path) === '.js' && existsSync(file))
        response.writeHead(200, { 'content-type': 'text/javascript' }).end(readFileSync(file));
      else response.writeHead(404).end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new PackagePage(server);
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}
