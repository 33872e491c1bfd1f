import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Where an app hears of a person's word: a real listener, which notes what arrives. */
export class RedirectListener {
  readonly receivedUrls: URL[] = [];

  private constructor(private readonly server: Server) {}

  /** @param redirectUrl where it sends the browser after that; unless given it answers with a page */
  static async start(redirectUrl?: string): Promise<RedirectListener> {
    const server = createServer();
    const listener = new RedirectListener(server);
    server.on('request', (request, response) => {
      if (request.url === '/favicon.ico') return response.writeHead(204).end();
      listener.receivedUrls.push(new URL(request.url!, listener.url));
      if (redirectUrl) return response.writeHead(302, { Location: redirectUrl }).end();
      return response.writeHead(200, { 'Content-Type': 'text/html' }).end('<h1>Back in the app</h1>');
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    return listener;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  stop(): void {
    this.server.close();
    this.server.closeAllConnections();
  }
}
