import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { SERVICE_VERSION } from '../../common/version';
import { Config } from '../config';

/** Serves Prometheus metrics on `/metrics` of a separate, private port. Disabled without METRICS_PORT. */
@Injectable()
export class MetricsExporter implements OnApplicationBootstrap, OnApplicationShutdown {
  private server: Server | undefined;

  constructor(
    private readonly config: Config,
    private readonly registry: Registry,
  ) {}

  /** Listening port, or undefined before the start. */
  get port(): number | undefined {
    return (this.server?.address() as AddressInfo | null)?.port;
  }

  async onApplicationBootstrap(): Promise<void> {
    const { metricsPort, host } = this.config;
    if (metricsPort === null) return;
    collectDefaultMetrics({ register: this.registry });
    this.addBuildInfo();
    const server = createServer((request, response) => {
      if (request.url === '/metrics') this.serveMetrics(response).catch(() => response.destroy());
      else response.writeHead(404).end();
    });
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject).listen(metricsPort, host, resolve);
    });
    this.server = server;
  }

  async onApplicationShutdown(): Promise<void> {
    const { server } = this;
    if (!server) return;
    const closed = new Promise((resolve) => server.close(resolve));
    // A connection without a request would stay open as long as its client wants.
    server.closeAllConnections();
    await closed;
  }

  private addBuildInfo(): void {
    new Gauge({
      name: 'external_api_build_info',
      help: 'Always 1. The labels say which release runs on which Node.js',
      labelNames: ['version', 'node'],
      registers: [this.registry],
    }).set({ version: SERVICE_VERSION, node: process.version }, 1);
  }

  private async serveMetrics(response: ServerResponse): Promise<void> {
    const text = await this.registry.metrics();
    response.writeHead(200, { 'Content-Type': this.registry.contentType }).end(text);
  }
}
