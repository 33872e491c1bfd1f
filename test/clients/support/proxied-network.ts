import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { CertificateAuthority } from '../../support/certificates';
import { runXapi } from '../../support/clients/xapi';
import { BUILD_FOLDER } from '../../support/ensure-service-built';
import { ForwardProxy } from '../../support/forward-proxy';
import { findProgram } from '../../support/program-files';
import { createTempFolder } from '../../support/temp-folder';
import { TlsFront } from '../../support/tls-front';
import { IntegrationFixture } from './integration-fixture';

export const NAME = 'svc.example.test';
export const PASSWORD = 'p@ss/w0rd%';
/** What makes a program use its proxies. */
export const PROXY_MODULE = join(BUILD_FOLDER, 'packages', 'forward-proxy', 'src', 'programs.js');

/** A service whose name only forward proxies know, with and without TLS, and programs that call it. */
export class ProxiedNetwork {
  readonly plainUrl: string;
  readonly secureUrl: string;

  private constructor(
    readonly fixture: IntegrationFixture,
    readonly front: TlsFront,
    readonly authority: CertificateAuthority,
    /** Environment of a program that trusts the certificates. */
    readonly trust: Record<string, string>,
    /** Demands the user `ada` with the password. */
    readonly lockedProxy: ForwardProxy,
    readonly tlsProxy: ForwardProxy,
  ) {
    this.plainUrl = `http://${NAME}:${new URL(fixture.url).port}`;
    this.secureUrl = `https://${NAME}:${front.port}`;
  }

  static async start(): Promise<ProxiedNetwork> {
    const fixture = await IntegrationFixture.start();
    const folder = createTempFolder();
    const authority = new CertificateAuthority(folder, 'company');
    const trust = { NODE_EXTRA_CA_CERTS: join(folder, 'company.crt') };
    const certificate = authority.issueCertificate('service', `DNS:${NAME},IP:::1`);
    const front = await TlsFront.start(certificate, Number(new URL(fixture.url).port));
    const lockedProxy = await ForwardProxy.start({ credentials: `ada:${PASSWORD}` });
    const tlsProxy = await ForwardProxy.start({ tls: authority.issueCertificate('proxy') });
    return new ProxiedNetwork(fixture, front, authority, trust, lockedProxy, tlsProxy);
  }

  async stop(): Promise<void> {
    for (const each of [this.front, this.lockedProxy, this.tlsProxy, this.fixture]) await each.stop();
  }

  /** Returns the environment of a program that uses a proxy. */
  through(proxyUrl: string): Record<string, string> {
    return { HTTPS_PROXY: proxyUrl, HTTP_PROXY: proxyUrl, ...this.trust };
  }

  createXapiEnv(host: string, env: Record<string, string>) {
    return { XAPI_HOST: host, XAPI_TOKEN: this.fixture.token, XDG_CONFIG_HOME: createTempFolder(), ...env };
  }

  runWhoami(host: string, env: Record<string, string>) {
    return runXapi(['whoami'], this.createXapiEnv(host, env));
  }

  runDevice(node: string, command: string, url: string, env: Record<string, string>) {
    const keyFile = join(createTempFolder(), 'keys');
    const options = ['--url', url, '--public-url', this.fixture.url, '--key-file', keyFile];
    const username = `ada-${Math.random()}`.slice(0, 12);
    return runNode(node, [findProgram('device'), command, ...options, '--username', username], env);
  }
}

/** Runs a program of Node.js to its end. */
export function runNode(
  node: string,
  args: string[],
  env: Record<string, string>,
): Promise<{ out: string; err: string }> {
  return new Promise((resolve) =>
    execFile(node, args, { env: { PATH: process.env.PATH, ...env } }, (_, out, err) => resolve({ out, err })),
  );
}
