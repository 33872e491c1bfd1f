import { Injectable } from '@nestjs/common';

/** One kind of record in an export; its rows are read while they are sent. */
export interface ExportPart {
  name: string;
  records: (accountId: string) => AsyncIterable<object>;
}

/** Gathers an account's records from the modules that keep them, which register their parts here. */
@Injectable()
export class AccountExport {
  private readonly parts: ExportPart[] = [];

  register(part: ExportPart): void {
    this.parts.push(part);
  }

  /** One JSON document, piece by piece: `{"data": {"account": …, "devices": […], …}}`. */
  async *json(accountId: string, account: object): AsyncGenerator<string> {
    yield `{"data":{"account":${JSON.stringify(account)}`;
    for (const { name, records } of [...this.parts].sort((a, b) => (a.name < b.name ? -1 : 1))) {
      yield `,${JSON.stringify(name)}:[`;
      let separator = '';
      for await (const record of records(accountId)) {
        yield separator + JSON.stringify(record);
        separator = ',';
      }
      yield ']';
    }
    yield '}}';
  }
}
