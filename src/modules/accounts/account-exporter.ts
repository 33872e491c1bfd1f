import { Injectable } from '@nestjs/common';

/** One kind of record in an export. Its rows are read while the response is sent. */
export interface AccountExportSection {
  name: string;
  readRecords: (accountId: string) => AsyncIterable<object>;
}

/** Exports the records of an account. Each module registers a section for the records it stores. */
@Injectable()
export class AccountExporter {
  private readonly sections: AccountExportSection[] = [];

  registerSection(section: AccountExportSection): void {
    this.sections.push(section);
  }

  /** Yields one JSON document in chunks: `{"data": {"account": …, "devices": […], …}}`. */
  async *streamJson(accountId: string, account: object): AsyncGenerator<string> {
    yield `{"data":{"account":${JSON.stringify(account)}`;
    for (const { name, readRecords } of [...this.sections].sort((a, b) => (a.name < b.name ? -1 : 1))) {
      yield `,${JSON.stringify(name)}:[`;
      let separator = '';
      for await (const record of readRecords(accountId)) {
        yield separator + JSON.stringify(record);
        separator = ',';
      }
      yield ']';
    }
    yield '}}';
  }
}
