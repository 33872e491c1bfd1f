import { Injectable } from '@nestjs/common';
import { MAX_PAGE_SIZE } from '../../../common/pages';
import { DevicesService } from '../../../modules/devices';
import { PersonalAccessTokensService } from '../../../modules/personal-access-tokens';

/** Reads the names of tokens and devices, which may have decided on permission requests, for the props of a page. */
@Injectable()
export class DeciderNameReader {
  constructor(
    private readonly tokens: PersonalAccessTokensService,
    private readonly devices: DevicesService,
  ) {}

  /** Returns the names of the newest of each by id. */
  async readNames(accountId: string): Promise<Record<string, string>> {
    const query = { limit: MAX_PAGE_SIZE };
    const [tokens, devices] = await Promise.all([
      this.tokens.listPersonalAccessTokens(accountId, query),
      this.devices.listDevices(accountId, query),
    ]);
    return Object.fromEntries([...tokens.data, ...devices.data].map(({ id, name }) => [id, name]));
  }
}
