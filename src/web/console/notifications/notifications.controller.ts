import { Controller, Get, Header, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { BrowserOnly, CsrfTokenService, getLoginId, Public, type DevicePrincipal } from '../../../access/auth';
import { compressResponse, SkipValidation } from '../../../common/http';
import { getAssetStore } from '../assets/asset-store';

/** Serves what browsers need to install the console and to show notifications (docs/guide/console.md#notifications). */
@Controller('console')
export class NotificationsController {
  constructor(private readonly csrfTokens: CsrfTokenService) {}

  @Get('manifest.webmanifest')
  @SkipValidation()
  @Header('Content-Type', 'application/manifest+json')
  @Header('Cache-Control', 'no-cache')
  @Public()
  getManifest(): object {
    return buildWebAppManifest();
  }

  /**
   * The service worker. Its folder is its scope, in which there is no page: it gets push messages and clicks on their
   * notifications, and can't answer requests of pages. It is bound to its own policy (CSP §4.1).
   */
  @Get('push/worker.js')
  @SkipValidation()
  @Public()
  getWorker(@Res() response: Response): void {
    compressResponse(response);
    response
      .set({
        'Content-Type': 'text/javascript; charset=utf-8',
        'Content-Security-Policy': "default-src 'none'; connect-src 'self'",
        'Cache-Control': 'no-cache',
        'Cross-Origin-Resource-Policy': 'same-origin',
      })
      .send(getAssetStore().getAsset('browser/push-worker.js')!.content);
  }

  /** Tells the service worker who is signed in, with a CSRF token, as pages tell their scripts. */
  @Get('push/login')
  @SkipValidation()
  @Header('Cache-Control', 'no-store')
  @Header('Cross-Origin-Resource-Policy', 'same-origin')
  @BrowserOnly()
  getLogin(@Req() request: Request): { data: object } {
    const device = request.principal as DevicePrincipal;
    const { accountId, deviceId } = device;
    return { data: { accountId, deviceId, csrfToken: this.csrfTokens.issueToken(getLoginId(device)) } };
  }
}

/** Returns the manifest with which browsers install the console (W3C Web Application Manifest). */
function buildWebAppManifest(): object {
  const icon = (name: string, size: number, purpose: string) => ({
    src: getAssetStore().getUrl(name),
    sizes: `${size}x${size}`,
    type: 'image/png',
    purpose,
  });
  return {
    id: '/console',
    name: 'External API',
    description: 'Your coding agents: what they do, and what they ask.',
    start_url: '/console',
    scope: '/console',
    display: 'standalone',
    background_color: '#ffffff',
    theme_color: '#0b5cad',
    icons: [
      icon('icon-192.png', 192, 'any'),
      icon('icon-512.png', 512, 'any'),
      icon('icon-maskable-512.png', 512, 'maskable'),
    ],
    shortcuts: [
      { name: 'Approvals', url: '/console/approvals' },
      { name: 'Sessions', url: '/console/sessions' },
    ],
  };
}
