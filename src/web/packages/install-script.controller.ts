import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Controller, Get, Res } from '@nestjs/common';
import type { Response } from 'express';
import { Public } from '../../access/auth';
import { RateLimit } from '../../access/rate-limiting';
import { SkipValidation } from '../../common/http';
import { Config } from '../../core/config';
import { PackageStore, type PackageDescriptions } from './package-store';
import { sendFile } from './packages.controller';

const TEMPLATE = readFileSync(join(__dirname, 'install.sh'), 'utf8');

/** Serves the script that installs the commands of the packages, at the root of the host. */
@Controller('install.sh')
export class InstallScriptController {
  constructor(
    private readonly packageStore: PackageStore,
    private readonly config: Config,
  ) {}

  /** @throws ApiError 404 in a service without packages, which `curl -f` passes on as its exit code */
  @Get()
  @SkipValidation()
  @Public()
  @RateLimit('packages', 'address')
  getScript(@Res() response: Response): void {
    const { descriptions } = this.packageStore.getPackages();
    // As plain text, so that a browser shows what will run.
    sendFile(response, 'text/plain; charset=utf-8', renderInstallScript(this.config.publicUrl, descriptions));
  }
}

/**
 * Returns the shell script that installs `xapi-device` and `xapi` from this service.
 * @param publicUrl configured URL of the service; a header of the request must not get into a script that people run
 */
export function renderInstallScript(publicUrl: string, { device, client }: PackageDescriptions): string {
  const values: Record<string, string> = {
    host: publicUrl,
    nodeEngines: device.node,
    nodeVersions: describeNodeVersions(device.node),
    deviceVersion: device.version,
    deviceSha256: device.sha256,
    clientVersion: client.version,
    clientSha256: client.sha256,
  };
  return TEMPLATE.replace(/^(\w+=)@(\w+)@$/gm, (_, assignment: string, name: string) => {
    return assignment + quoteForShell(values[name]!);
  });
}

/** Quotes a text so that a POSIX shell takes it literally. Host names of URLs may contain `$`, `;` and quotes. */
function quoteForShell(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** Returns `20.19+, 22.13+ or 24.11+` for `^20.19.0 || ^22.13.0 || >=24.11.0`. */
function describeNodeVersions(engines: string): string {
  const minimums = engines.split(' || ').map((range) => range.replace(/^[^\d]{0,2}/, '').split('.'));
  const versions = minimums.map(([major, minor]) => `${major}.${minor}+`);
  return versions.length < 2 ? versions.join() : `${versions.slice(0, -1).join(', ')} or ${versions.at(-1)}`;
}
